"""No hostile input found by search crashes, hangs, or lets a foreign error escape.

The fast suite tries a slice of a few thousand inputs, always the same; `explore` tries a hundred
thousand more.
"""

from collections.abc import Iterator

import pytest

from tests.hostile.containers import container_targets, no_waiting_for_disks
from tests.hostile.search import Target, outcome, search
from tests.hostile.texts import text_targets

TEXTS = (
    "range", "cards", "menu", "branching", "memory", "post", "game spec", "lock", "node", "action",
    "page file", "page message", "acpc state", "acpc reply", "acpc record", "acpc score",
    "rake", "preflop message", "script", "report",
    "spot.toml", "spot.json", "spot.txt",
    "game.efg", "rules.game", "dealer.log", "hands.phhs", "model.toml", "menus.toml",
    "strategy.json", "strategy.csv", "lock.csv", "history.txt", "hand.phh",
)  # fmt: skip
CONTAINERS = (
    "blueprint", "abstraction", "compact abstraction", "joint", "solution", "river solution",
    "turn solution", "cfr checkpoint", "pcfr checkpoint", "egt checkpoint", "boards checkpoint",
    "trainer checkpoint",
)  # fmt: skip
Targets = dict[str, Target]


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Targets:
    return _by_name(text_targets(tmp_path_factory.mktemp("texts")))


@pytest.fixture(scope="module")
def containers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Targets]:
    with pytest.MonkeyPatch.context() as patch:
        no_waiting_for_disks(patch)
        yield _by_name(container_targets(tmp_path_factory.mktemp("containers")))


def _by_name(targets: list[Target]) -> Targets:
    return {target.name: target for target in targets}


def test_nothing_is_left_out(texts: Targets, containers: Targets) -> None:
    assert tuple(texts) == TEXTS
    assert tuple(containers) == CONTAINERS


@pytest.mark.parametrize("name", TEXTS)
def test_a_slice_of_hostile_texts(texts: Targets, name: str) -> None:
    assert "works" in [outcome(texts[name], sound) for sound in texts[name].sound]
    met = search(texts[name], 1, 60)
    assert name == "action" or met.keys() != {"works"}


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_slice_of_hostile_files(containers: Targets, name: str) -> None:
    assert outcome(containers[name], containers[name].sound[0]) == "works"
    met = search(containers[name], 1, 60)
    assert name == "joint" or met["FileError"] > 30


@pytest.mark.explore
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_hostile_texts(texts: Targets, name: str, seed: int) -> None:
    search(texts[name], seed, 700)


@pytest.mark.explore
@pytest.mark.parametrize("name", CONTAINERS)
@pytest.mark.parametrize("seed", range(2, 6))
def test_many_hostile_files(containers: Targets, name: str, seed: int) -> None:
    search(containers[name], seed, 700)
