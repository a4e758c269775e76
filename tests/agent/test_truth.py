"""The endgame agent is right, not only legal: ranges, gifts, pots and strategies worked out apart.

Ranges are multiplied along the blueprint's rows hand by hand; a river's value is that of a linear
program over buckets made here, on the pot and stacks of the table.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from endspiel.agent import exact, make_agent
from endspiel.agent.endgame import EndgameAgent
from endspiel.agent.stages import EndgameEntry
from endspiel.betting.tree import BY_CALL, BY_FOLD, CHANCE, DECISION, FOLD, BettingTree
from endspiel.blueprint.blueprint import Blueprint
from endspiel.blueprint.gifts import LEAST, OCTAVE
from endspiel.cards.deck import hand_masks
from endspiel.cards.text import parse_cards
from endspiel.endgame.river.game import river_tree
from endspiel.endgame.river.menus import river_menu
from endspiel.endgame.river.river import River
from endspiel.endgame.safe.live import LiveEndgame
from endspiel.errors import EndspielError, GameError
from endspiel.game.post import Post
from endspiel.kernels.arrays import Floats
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start
from tests.blueprint_fixture import gift_codes, small_blueprint
from tests.endgame.plain_river import PlainRiver, algorithm_5, pair_forms, plain_equities

GAME = load_rules("nolimit-holdem")
BOARD = tuple(parse_cards("Ks Th 7s 4d 2c"))
HOLE = tuple(parse_cards("Qd Jc"))
LINE = "c c b c b c"  # before the river, as the small blueprint's tree has it
UNSAFE, SAFE = ("unsafe-lp", "unsafe"), ("resolve", "maxmargin", "reach-maxmargin")
EXACT, ALPHA = 1000, 0.97  # T, and the top bucket's equity
FLOOR = 1e-5  # of the likeliest hand: the weight of hands that we should not hold, but may


class Step(NamedTuple):
    """A decision of the blueprint's tree and what was done there."""

    node: int
    place: int
    player: int
    street: int


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return small_blueprint(tmp_path_factory.getbasetemp(), gifts=True)


def follow(blueprint: Blueprint) -> tuple[State, list[Step]]:
    """The table after the line, and the line in the blueprint's tree."""
    tree, node, state, steps = blueprint.tree, 0, start(GAME), []
    for word in LINE.split():
        while tree.kind[node] == CHANCE:
            node = int(tree.first_child[node])
        children = list(tree.children(node))
        bets = [c for c in children if tree.action[c] not in (BY_CALL, BY_FOLD)]
        called = [c for c in children if tree.action[c] == BY_CALL]
        child = bets[0] if word == "b" else called[0]
        steps.append(
            Step(node, children.index(child), int(tree.player[node]), int(tree.street[node]))
        )
        chips = tree.pot // 2 + int(tree.spent[child].max())
        state, node = state.apply(chips if word == "b" else CALL), child
    return state, steps


def live() -> np.ndarray:
    return (hand_masks() & np.uint64(sum(1 << card for card in BOARD))) == 0


def plain_range(blueprint: Blueprint, steps: list[Step], player: int) -> Floats:
    """How often each hand [1326] does what the player did, row by row."""
    weights = live().astype(np.float64)
    for step in steps:
        if step.player == player:
            cards = BOARD[: GAME.board_sizes[step.street]]
            buckets = blueprint.abstraction.board_buckets(cards)
            for hand in np.flatnonzero(weights).tolist():
                weights[hand] *= blueprint.row(step.node, int(buckets[hand]))[step.place]
    assert weights.any()
    return weights


class Truth(NamedTuple):
    """What is so before the river's first action."""

    state: State
    steps: list[Step]
    own: Floats  # [1326] our range, by the strategy that is played
    other: Floats  # [1326] the opponent's, by the strategy as it was found


@pytest.fixture(scope="module")
def truth(blueprint: Blueprint) -> Truth:
    state, steps = follow(blueprint)
    played, seat = blueprint.played(Post.parse("purify")), state.actor
    own = plain_range(played, steps, seat)
    own = np.maximum(own, FLOOR * own.max()) * live()
    return Truth(state, steps, own, plain_range(blueprint, steps, 1 - seat))


def seated(blueprint: Blueprint, technique: str, *options: str) -> EndgameAgent:
    given = (f"file={blueprint.path}", "hand=1000", "move=1000", *options)
    agent = make_agent(",".join([f"blueprint+{technique}", *given]), GAME)
    assert isinstance(agent, EndgameAgent)
    agent.begin(1)
    return agent


def same(one: Floats, two: Floats) -> bool:
    return bool(np.allclose(one / one.max(), two / two.max(), rtol=1e-9, atol=1e-15))


@pytest.fixture(scope="module")
def exactly(blueprint: Blueprint, truth: Truth) -> EndgameAgent:
    """unsafe-lp after its first decision of the river, whatever that leaves on real cards."""
    program = f"T={EXACT}", f"alpha={ALPHA}", "clustering=equal"
    agent = seated(blueprint, "unsafe-lp", *program, "bound=100")
    agent.act(truth.state, HOLE, BOARD)
    return agent


def test_our_range_and_the_opponents_come_from_the_blueprint(
    exactly: EndgameAgent, truth: Truth, blueprint: Blueprint
) -> None:
    """Ours as it is played, purified; the opponent's as the blueprint was found."""
    (thought,) = [t for t in exactly.thoughts if t.source == "endgame unsafe-lp"]
    assert same(thought.own, truth.own)
    assert same(thought.other, truth.other)
    raw = plain_range(blueprint, truth.steps, truth.state.actor)
    assert not same(truth.own, np.maximum(raw, FLOOR * raw.max()))  # else nothing is seen here
    assert not same(truth.other, live().astype(np.float64))


def security(agent: EndgameAgent, truth: Truth) -> tuple[float, float, float]:
    """The river's value for us in plain buckets, and what ours and the opponent's secure there."""
    state, seat = truth.state, truth.state.actor
    ranges = (truth.own, truth.other) if seat == 0 else (truth.other, truth.own)
    pot, behind = state.pot, GAME.stacks[0] - state.max_spent
    river = River.of(BOARD, pot, behind, ranges)
    tree = river_tree(river, river_menu(pot, behind))
    of = []
    for player in (0, 1):
        sequences = int(tree.num_children[tree.player == player].sum())
        held = np.flatnonzero(ranges[player] > 0)
        equity = plain_equities(BOARD, ranges[1 - player])
        of.append(algorithm_5(equity, held, EXACT // sequences, ALPHA))
    plain = PlainRiver(tree, *pair_forms(BOARD, ranges)).in_buckets(of)
    members = [[int(np.flatnonzero(b == k)[0]) for k in range(b.max() + 1)] for b in of]
    root = agent.stages.root
    assert root is not None
    found = root.endgame

    def strategy(node: int) -> Floats:
        """Of a node of the tree here, by bucket, as the agent would play it."""
        at = found.tree.find(tree.line(node))
        return found.strategy(at)[:, members[int(tree.player[node])]]

    secured = [-float(plain.values(1 - player, strategy).sum()) for player in (0, 1)]
    value = plain.optimum if seat == 0 else -plain.optimum
    return value, secured[seat], secured[1 - seat]


def test_unsafe_lp_plays_an_equilibrium_of_the_tables_own_river(
    exactly: EndgameAgent, truth: Truth
) -> None:
    """Its strategy secures the value that a program written here has: buckets, pot and ranges."""
    value, ours, theirs = security(exactly, truth)
    solved = exactly.stages.root.endgame.solution  # type: ignore[union-attr]
    assert solved.value == pytest.approx(value if truth.state.actor == 0 else -value, abs=1e-6)
    assert solved.game.river.pot == truth.state.pot
    assert ours == pytest.approx(value, abs=1e-6)
    assert theirs == pytest.approx(-value, abs=1e-6)


def test_what_is_drawn_is_what_was_solved(exactly: EndgameAgent, truth: Truth) -> None:
    (thought,) = [t for t in exactly.thoughts if t.source == "endgame unsafe-lp"]
    root = exactly.stages.root
    assert root is not None
    assert np.array_equal(thought.strategy, root.endgame.strategy(0))
    assert exactly.strategy(truth.state, BOARD)[0] == thought.actions
    assert thought.strategy[thought.chosen, thought.hand] > 0


def test_a_program_is_told_and_counted_by_its_gap_on_real_cards(exactly: EndgameAgent) -> None:
    """Few buckets are solved exactly and leave much to gain: both gaps are in the thought."""
    (thought,) = [t for t in exactly.thoughts if t.source == "endgame unsafe-lp"]
    root = exactly.stages.root
    assert root is not None
    endgame = root.endgame
    assert isinstance(endgame, exact.BucketedRiver)
    assert thought.exploitability == endgame.real_gap > 1e-3 > 1e-6 > endgame.gap
    assert f"gap {100 * endgame.real_gap:.3g}% of the pot {endgame.measured}" in thought.why
    assert exactly.solves.ways == {"as planned": 1}
    assert exactly.solves.gaps == {"river": [endgame.real_gap]}


def test_a_lowered_t_is_told_and_counted(blueprint: Blueprint, truth: Truth) -> None:
    agent = seated(blueprint, "unsafe-lp", "T=600", "entries=500", "bound=100")
    agent.act(truth.state, HOLE, BOARD)
    assert agent.thoughts[-1].why.endswith("; T is lowered to what entries allows")
    assert agent.solves.ways == {"T is lowered to what entries allows": 1}
    assert agent.fallbacks == {"T is lowered to what entries allows": 1}


def test_refinements_do_better_against_mistakes(blueprint: Blueprint, truth: Truth) -> None:
    """Undominated play takes as much, and more from an opponent who does anything."""
    worth = []
    for options in ((), ("refine=undominated",)):
        agent = seated(blueprint, "unsafe-lp", "T=600", "bound=100", *options)
        agent.act(truth.state, HOLE, BOARD)
        root = agent.stages.root
        assert root is not None
        game, found = root.endgame.solution.game, root.endgame.solution  # type: ignore[attr-defined]
        assert found.method == ("undominated" if options else "lp")
        assert found.exploitability <= 1e-6
        seat = truth.state.actor
        even = [game.game.plexes[p].uniform() for p in (0, 1)]
        even[seat] = found.profile.behavior[seat]
        plans = [game.game.plexes[p].walk_down(even[p]) for p in (0, 1)]
        worth.append(float(plans[seat] @ game.game.gradient(seat, plans[1 - seat])))
    assert worth[1] >= worth[0] - 1e-7


@pytest.mark.parametrize("technique", [*UNSAFE, *SAFE])
def test_every_technique_solves_bets_off_the_menu_as_they_are(
    blueprint: Blueprint, truth: Truth, technique: str
) -> None:
    """Nothing falls back; the pot, the bet and the beliefs in the endgame are the table's."""
    options = ("T=400",) if technique == "unsafe-lp" else ("iterations=10,bound=100",)
    agent = seated(blueprint, technique, *options)
    river, seat = truth.state, truth.state.actor
    agent.act(river, HOLE, BOARD)
    root = agent.stages.root
    assert root is not None
    assert same(root.belief, truth.other) or technique in UNSAFE
    bet = river.max_spent + 777
    answer = river.apply(CALL).apply(bet)
    assert answer.actor == seat
    agent.act(answer, HOLE, BOARD)
    assert not agent.fallbacks
    assert [t.source for t in agent.thoughts[-2:]] == [f"endgame {technique}"] * 2
    root = agent.stages.root
    assert root is not None
    tree = root.endgame.tree
    if technique in UNSAFE:
        node = tree.find("c b777")
        assert root.endgame.state == river
        assert "at 'c b777'" in agent.thoughts[-1].why
    else:
        node = 0
        assert root.endgame.state == answer
    assert tree.spent[node].tolist() == list(answer.spent)
    assert tree.pot == 0  # all chips count from the start of the hand


def test_gifts_are_the_blueprints(blueprint: Blueprint, truth: Truth) -> None:
    """Of the opponent's own actions, bucket by bucket, in chips; only Reach-Maxmargin has them."""
    expected = np.zeros(1326)
    for step in truth.steps:
        if step.player != truth.state.actor:
            shape = blueprint.num_actions(step.node), blueprint.sizes[step.street]
            codes = gift_codes(step.node, shape)[step.place].astype(np.float64)
            blinds = np.where(codes > 0, LEAST * 2 ** ((codes - 1) / OCTAVE), 0.0)
            cards = BOARD[: GAME.board_sizes[step.street]]
            buckets = blueprint.abstraction.board_buckets(cards)
            expected[live()] += GAME.big_blind * blinds[buckets[live()].astype(np.int64)]
    assert expected.max() > 1
    for technique, wanted in (("reach-maxmargin", expected), ("maxmargin", np.zeros(1326))):
        agent = seated(blueprint, technique, "iterations=3,bound=100")
        agent.act(truth.state, HOLE, BOARD)
        (entry,) = agent._entries.values()
        assert isinstance(entry, EndgameEntry)
        assert np.allclose(entry.gifts[live()], wanted[live()])


def best_values(
    tree: BettingTree, node: int, player: int, strategy: Callable[[int], Floats], own: Floats
) -> Floats:
    """What each hand [1326] of the other wins by its best play from a node on, in chips."""
    met, won = pair_forms(BOARD, (np.ones(1326), own))
    total = met.sum(axis=1)
    other = 1 - player

    def walk(at: int, reach: Floats) -> Floats:
        if tree.kind[at] != DECISION:
            lost = tree.pot / 2 + float(tree.spent[at].min())
            if tree.kind[at] != FOLD:
                return lost * (won @ reach)
            return (-lost if tree.player[at] == other else lost) * (met @ reach)
        children = list(tree.children(at))
        if tree.player[at] == player:
            parts = zip(children, strategy(at), strict=True)
            return sum(walk(child, reach * share) for child, share in parts)
        return np.stack([walk(child, reach) for child in children]).max(axis=0)

    return np.divide(walk(node, np.ones(1326)), total, out=np.zeros(1326), where=total > 0)


@pytest.mark.parametrize("technique", SAFE)
def test_safe_solves_are_told_what_the_opponent_has_elsewhere(
    blueprint: Blueprint, truth: Truth, technique: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the blueprint first; after a bet off the menu, against what was solved before it."""
    offers, solve_safely = [], LiveEndgame.solve_safely

    def noted(endgame: LiveEndgame, player: int, technique: Any, offer: Any, limits: Any) -> float:
        offers.append(offer)
        return solve_safely(endgame, player, technique, offer, limits)

    agent = seated(blueprint, technique, "iterations=3,bound=100")
    monkeypatch.setattr(LiveEndgame, "solve_safely", noted)
    river, seat, pot = truth.state, truth.state.actor, truth.state.pot
    agent.act(river, HOLE, BOARD)
    tree, node = blueprint.tree, agent.follower.node(river)
    scale = pot / float(tree.spent[node].sum())

    def raw(at: int) -> Floats:
        return blueprint.hands(at, BOARD)

    right = scale * best_values(tree, node, seat, raw, truth.own)
    assert offers[0].alternatives[live()] == pytest.approx(right[live()], abs=1e-3 * pot)
    root = agent.stages.root
    assert root is not None
    agent.act(river.apply(CALL).apply(river.max_spent + 777), HOLE, BOARD)
    first, solved = root.endgame.tree, root.endgame.strategy
    at, came = first.find("c"), truth.own * solved(0)[root.actions.index(CALL)]
    before = best_values(first, at, seat, solved, came)
    assert offers[1].alternatives[live()] == pytest.approx(before[live()], abs=1e-3 * pot)


@pytest.mark.parametrize("technique", SAFE)
def test_errors_are_not_played_over(
    blueprint: Blueprint, truth: Truth, technique: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*given: object) -> float:
        raise GameError("this technique is broken")

    agent = seated(blueprint, technique, "iterations=3,bound=100")
    monkeypatch.setattr(LiveEndgame, "solve_safely", broken)
    with pytest.raises(GameError, match="is broken"):
        agent.act(truth.state, HOLE, BOARD)


def test_what_falls_back_is_told_and_counted(blueprint: Blueprint, truth: Truth) -> None:
    agent = make_agent(f"blueprint+unsafe,file={blueprint.path},hand=0", GAME)
    agent.begin(1)
    agent.act(truth.state, HOLE, BOARD)
    (thought,) = agent.thoughts
    assert thought.source == "blueprint"
    assert thought.why.endswith("no endgame was solved: no time is left to solve anything")
    assert agent.fallbacks == {"no time is left to solve anything": 1}
    assert not agent.solves.ways
    agent = make_agent(f"blueprint+unsafe,file={blueprint.path},iterations=2,bound=0", GAME)
    agent.begin(1)
    agent.act(truth.state, HOLE, BOARD)
    assert agent.thoughts[0].why.endswith("no solve came within its bound in time")
    assert agent.fallbacks == {"no solve came within its bound in time": 1}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("unsafe,T=500", "option T is of unsafe-lp; unsafe solves no program"),
        ("maxmargin,alpha=0.9", "option alpha is of unsafe-lp"),
        ("none,refine=undominated", "option refine is of unsafe-lp"),
        ("unsafe-lp,T=0", "option T is a whole number"),
        ("unsafe-lp,alpha=1.5", "option alpha is an equity"),
        ("unsafe-lp,refine=perfect", "option refine is undominated or quasi-perfect"),
    ],
)
def test_options_of_programs(spec: str, reason: str) -> None:
    with pytest.raises(EndspielError, match=reason):
        make_agent(f"blueprint+{spec}", GAME)


def test_a_match_counts_what_falls_back(blueprint: Blueprint) -> None:
    from endspiel.arena.match import run_match
    from endspiel.arena.plan import MatchPlan

    specs = (f"blueprint+unsafe,file={blueprint.path},hand=0", "always-call")
    found = run_match(MatchPlan(GAME, specs, 8), workers=1)
    ours, theirs = found.fallbacks
    assert set(ours) == {"no time is left to solve anything"}
    assert ours["no time is left to solve anything"] > 0
    assert theirs == {}
