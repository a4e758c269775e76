"""Limit hold'em between agents: over sockets, by AIVAT, by local best response."""

from contextlib import closing
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import endspiel as es
from endspiel.agent import make_agent
from endspiel.arena.estimators import match_aivat
from endspiel.arena.estimators.blueprint_values_tables import draw_pairs
from endspiel.arena.estimators.endgame_value import EndgameValue
from endspiel.arena.estimators.estimates import estimate
from endspiel.arena.estimators.local_best_response import SETTINGS, considered
from endspiel.arena.protocol.client import ClientResult, play_client
from endspiel.arena.protocol.dealer import DealerServer
from endspiel.arena.protocol.dealer_log import DealerLog, DealerPlan, TimeLimits
from endspiel.arena.protocol.wire import LOOPBACK, connect
from endspiel.cards.text import parse_cards
from endspiel.rules.acpc import parse_betting
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.log import parse_record
from endspiel.rules.state import CALL, FOLD
from tests.blueprint_fixture import small_blueprint
from tests.endgame.plain_river import pair_forms
from tests.rules.hands import ACPC

GAME = load_rules("limit-holdem")
BOARD = tuple(parse_cards("Ks Th 7s 4d 2c"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_blueprint(tmp_path_factory.getbasetemp(), limit=True).path


def test_every_hand_of_the_competitions_limit_log_is_paid_as_it_says() -> None:
    """Chips action by action from the sizes of the streets, worked out here, and pots by cards."""
    lines = (ACPC / "dealer-limit-seed7.log").read_text().splitlines()
    records = [parse_record(GAME, line) for line in lines if line.startswith("STATE:")]
    assert len(records) == 200
    totals = np.zeros(2)
    for record in records:
        spent, sizes = [10, 5], (10, 10, 20, 20)
        for street, actions in enumerate(record.shown.state.line.split("/")):
            player = 1 if street == 0 else 0
            for word in actions:
                if word != "f":
                    spent[player] = max(spent) + (sizes[street] if word == "r" else 0)
                player = 1 - player
        state = record.shown.state
        assert state.spent == tuple(spent)
        won = state.payoffs(Deal(record.shown.holes, record.shown.board))
        assert won == record.payoffs
        assert abs(won[0]) in (0, min(spent))
        totals += [won[record.names.index(name)] for name in ("Alice", "Bob")]
    assert lines[-1] == f"SCORE:{totals[0]:.0f}|{totals[1]:.0f}:Alice|Bob"


def test_two_agents_play_a_match_over_sockets(file: Path, tmp_path: Path) -> None:
    """Raises are sent without sizes; dealer, clients and the log agree on every chip."""
    hands, path = 12, tmp_path / "match.log"
    patient = TimeLimits(per_hand=600_000)
    plan = DealerPlan("limit", GAME, f"{GAME.name}.game", hands, 3, ("A", "B"), patient)
    specs = (f"blueprint+resolve,file={file},hand=1000,move=1000", f"blueprint:{file}")
    said: list[str] = []
    results: dict[str, ClientResult] = {}
    dealer = DealerServer(plan, log=DealerLog(plan, path), tell=said.append)

    def client(spec: str, port: int) -> None:
        with closing(connect(LOOPBACK, port)) as peer:
            results[spec] = play_client(peer, make_agent(spec, GAME), GAME, seed=1)

    threads = [
        Thread(target=client, args=both, daemon=True)
        for both in zip(specs, dealer.ports, strict=True)
    ]
    for thread in threads:
        thread.start()
    dealer.run()
    for thread in threads:
        thread.join(300)
    records = [parse_record(GAME, x) for x in path.read_text().splitlines() if x[:5] == "STATE"]
    assert len(records) == hands
    won = sum(record.payoffs[record.names.index("A")] for record in records)
    assert [results[spec] for spec in specs] == [(hands, won), (hands, -won)]
    assert any(len(record.shown.state.line.split("/")) == 4 for record in records)
    assert any("r" in record.shown.state.line for record in records)
    answers = [line.rsplit(":", 1)[1].split()[0] for line in "".join(said).splitlines()
               if line.startswith("FROM") and "MATCHSTATE" in line]  # fmt: skip
    assert {"c", "r"} <= set(answers) <= {"c", "r", "f"}
    assert not [line for line in said if "WARNING" in line]


def test_aivat_takes_noise_from_a_limit_match_and_keeps_its_mean(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent against itself is worth nothing; a small sample of pairs of buckets will do."""
    monkeypatch.setattr(match_aivat, "draw_pairs", lambda cards: draw_pairs(cards, 40))
    agents = (f"blueprint:{file}", f"blueprint:{file},post=none")
    plan = es.MatchPlan(GAME, agents, 60, 5, aivat=True)
    result = es.run_match(plan, workers=1)
    assert result.values == "blueprint"
    assert result.aivat is not None
    found, plain = (estimate("x", chips.ravel()) for chips in (result.aivat, result.chips))
    assert found.error is not None
    assert plain.error is not None
    assert abs(found.mean) < 4 * found.error
    assert found.error < plain.error / 3


def test_the_value_of_a_limit_river_is_that_of_all_pairs(file: Path) -> None:
    """By a walk of its own over the rules, with the policies of both agents."""
    agents = tuple(make_agent(f"blueprint:{file}", GAME) for _ in range(2))
    root = parse_betting(GAME, "rc/rrc/rc/")
    values = EndgameValue(GAME)
    for agent in agents:
        agent.begin(1)
    ranges = values.ranges(agents, root, BOARD)
    met, won = pair_forms(BOARD, ranges)

    def walk(state, one, two):  # type: ignore[no-untyped-def]
        if state.finished:
            stake = min(state.spent)
            if state.showdown:
                return stake * float(one @ won @ two)
            return (-stake if state.folded[0] else stake) * float(one @ met @ two)
        choice = agents[state.actor].strategy(state, BOARD)
        total = 0.0
        for action, row in zip(*choice, strict=True):
            both = (one * row, two) if state.actor == 0 else (one, two * row)
            total += walk(state.apply(action), *both)
        return total

    expected = walk(root, np.ones(1326), np.ones(1326))
    assert values.value(agents, root, BOARD, ranges) == pytest.approx(expected, abs=1e-6)
    assert abs(expected) > 1


def test_the_one_raise_is_what_a_local_best_response_considers() -> None:
    """The pot and all-in of no-limit settings come to the rules' raise; fc has none."""
    river = parse_betting(GAME, "rc/cc/cc/r")
    assert considered(river, SETTINGS["fc"]) == (FOLD, CALL)
    for name in ("fcpa", "fcpa-turn", "56-turn"):
        assert considered(river, SETTINGS[name]) == (FOLD, CALL, 60)
    capped = parse_betting(GAME, "rc/cc/cc/rrrr")
    assert considered(capped, SETTINGS["fcpa"]) == (FOLD, CALL)


def test_a_local_best_response_wins_from_a_random_limit_strategy(file: Path) -> None:
    plan = es.ResponsePlan(GAME, f"blueprint:{file}", "fcpa", boards=4)
    found = es.measure_response(plan, workers=1)
    assert found.main.mean > 300
    assert found.fallbacks == {}
