"""One task for every solve: a refusal follows from what methods declare, and from nothing else."""

from typing import Any

import pytest

import endspiel as es
from endspiel.engine.schemes import Answer
from endspiel.errors import EndspielError, GameError
from endspiel.solvers.boards.trunk import Decomposition
from endspiel.solvers.methods import KINDS, METHODS, RIVER, SMALL_GAME, SPOT, WHOLE_HOLDEM, WORDS
from endspiel.solving import task as tasks
from endspiel.solving.spots import SpotOptions
from endspiel.solving.task import Task, prepare
from tests.solving.spots import RIVER as RIVER_TEXT
from tests.solving.spots import TURN as TURN_TEXT
from tests.solving.spots import spot

# Every option that there is, with a value that is not the usual one.
UNUSUAL: dict[str, dict[str, Any]] = {
    "alternating": {"alternating": False},
    "answer": {"answer": Answer("current")},
    "checkpoint": {"limits": es.Limits(iterations=1, checkpoint="somewhere")},
    "decompose": {"decompose": Decomposition(1)},
    "device": {"device": "cuda"},
    **{
        name: {"options": SpotOptions(**{name: value})}
        for name, value in {
            "threads": 2,
            "memory": 10**12,
            "locks": ["c: c 1"],
            "symmetry": False,
            "tree_limit": 10**5,
            "buckets": 100,
            "top": 0.9,
            "clustering": "equal",
            "storage": 16,
        }.items()
    },
}


@pytest.fixture(scope="module")
def games() -> dict[str, Any]:
    """A game of each kind."""
    return {
        SMALL_GAME.name: es.games.kuhn(),
        WHOLE_HOLDEM.name: es.load_game("limit-holdem:ranks=3,suits=3,max_raises=1"),
        SPOT.name: spot(TURN_TEXT),
        RIVER.name: spot(RIVER_TEXT),
    }


def test_every_option_is_taken_by_some_method() -> None:
    taken = {option for kind in KINDS for options in kind.takes.values() for option in options}
    assert taken == set(UNUSUAL)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("option", sorted(UNUSUAL))
def test_what_is_not_declared_is_refused_in_one_sentence_and_the_rest_is_not(
    games: dict[str, Any], kind: Any, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names the option, and who takes it."""
    monkeypatch.setattr(tasks, "check_device", lambda device, here=True: None)
    for method, taken in kind.takes.items():
        task = Task(games[kind.name], method, **UNUSUAL[option])
        assert task.kind is kind
        assert task.asked == [option]
        if option in taken:
            assert task.checked() == method
            continue
        with pytest.raises(EndspielError) as refused:
            task.checked()
        sentence = str(refused.value)
        assert f"takes no {WORDS.get(option, option)}" in sentence
        takers = kind.methods(option) or [one.name for one in KINDS if one.methods(option)]
        assert all(name in sentence for name in takers)


def test_methods_of_another_kind_are_refused_by_name(games: dict[str, Any]) -> None:
    for kind in KINDS:
        for method in {*METHODS, "cubic"} - set(kind.takes):
            with pytest.raises(EndspielError, match=f"does not solve {kind.name}: methods are"):
                Task(games[kind.name], method).checked()
        with pytest.raises(EndspielError, match="there is no method 'magic': methods are cfr, "):
            Task(games[kind.name], "magic").checked()


def test_what_is_no_game_is_refused() -> None:
    with pytest.raises(GameError, match="only a Game or a Spot can be solved, not str"):
        Task("kuhn")  # type: ignore[type-var]


def test_a_task_and_the_door_give_the_same_digits(games: dict[str, Any]) -> None:
    for name, game in games.items():
        found = Task(game, limits=es.Limits(iterations=3)).solve()
        again = es.solve(game, iterations=3)
        assert (found.value, found.exploitability) == (again.value, again.exploitability), name
        assert found.method == again.method


def test_a_prepared_spot_is_solved_as_the_task_says(games: dict[str, Any]) -> None:
    river = games[RIVER.name]
    for method in RIVER.takes:
        ready = prepare(river, method)
        assert ready.method == method
    assert Task(river).checked() == "dcfr"
