"""Flop values that come with the package: how they are made, and where trees begin with them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from endspiel.batch.boards import flop_subset
from endspiel.batch.preflop_solve import Preflop
from endspiel.cards.classes import NUM_CLASSES, class_names
from endspiel.engine.driver import Driver
from endspiel.engine.schemes import SCHEMES
from endspiel.games.preflop_charts import PreflopCharts
from endspiel.games.preflop_tree import PreflopSetting
from endspiel.preflop import making
from endspiel.preflop.shipped import (
    FILE,
    SMALL_SET,
    LineStart,
    MeasuredLine,
    Shipped,
    read_shipped,
    save_shipped,
    shipped,
    starts_for,
)
from endspiel.preflop.solving import new_playing
from endspiel.preflop.street import PreflopStreet

Keep = Callable[[tuple[MeasuredLine, ...]], None]


def test_a_depth_that_was_made_is_where_its_tree_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    few = flop_subset(25)
    monkeypatch.setattr("endspiel.preflop.solving.report_flops", lambda *given: few[:2])
    monkeypatch.setattr(making, "report_flops", lambda *given: few[:3])
    for name, value in {"OPENS": "2.5x", "RERAISES": "", "RAISES": 1}.items():
        monkeypatch.setattr(making, name, value)
    monkeypatch.setattr(making, "SMALL_ROUNDS", 8)
    found = making.Making(30, Shipped({})).make()
    assert found.keys() == {"c c", "r250 c", "c r250 c"}
    assert all(np.isfinite(start.beyond).all() for start in found.values())
    assert np.abs(found["r250 c"].kinder).max() > 0.01  # two flops are not three
    preflop = Preflop(PreflopSetting(3000, opens="2.5x", reraises="", max_raises=1))
    playing = new_playing(preflop, SMALL_SET, lambda game: found)
    node = playing.preflop.tree.find("r250 c")
    np.testing.assert_allclose(playing.preflop.share(node), found["r250 c"].share())
    np.testing.assert_array_equal(playing.flops.kinder(node), found["r250 c"].kinder)
    playing.round()
    assert abs(playing.gaps[node].mean) < 20  # hundredths of a big blind


def test_a_stopped_command_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The file is whole after each depth and each solved line, and what it has stays as it is."""
    path, made = tmp_path / FILE, list[float]()
    rows = np.zeros((2, NUM_CLASSES))

    def make(self: making.Making) -> dict[str, LineStart]:
        if self.depth == 9:
            raise KeyboardInterrupt
        made.append(self.depth)
        return {"c c": LineStart(rows, rows, self.depth / 100, 0.0, 0.0, 0.02)}

    monkeypatch.setattr(making.Making, "make", make)

    def improve(self: making.Making, starts: making.Lines, keep: Keep) -> making.Lines:
        new = MeasuredLine(self.depth, "c c", 12, 0.01, 0.005, rows + 0.25)
        keep((*self.known.solved, new))
        if self.depth == 7:  # stopped while it was at the next line
            raise KeyboardInterrupt
        return {"c c": starts["c c"]._replace(net=0.005, added=rows + 0.25)}

    monkeypatch.setattr(making.Making, "improve", improve)

    def command(*words: str) -> Shipped:
        monkeypatch.setattr("sys.argv", ["making", "--out", str(path), *words])
        making.main()
        return read_shipped(path)

    with pytest.raises(KeyboardInterrupt):
        command("8", "7", "9", "6")
    assert set(read_shipped(path).depths) == {7, 8}
    assert command("8", "7", "6").depths[6]["c c"].frequency == 0.06
    assert made == [8, 7, 6]
    command("--seconds", "0", "5")
    with pytest.raises(KeyboardInterrupt):
        command("--improve", "8", "7")
    stopped = read_shipped(path)
    nets = {depth: lines["c c"].net for depth, lines in stopped.depths.items()}
    assert nets == {6: 0.02, 7: 0.02, 8: 0.005}
    assert [one[:5] for one in stopped.solved] == [
        (depth, "c c", 12, 0.01, 0.005) for depth in (8, 7)
    ]
    np.testing.assert_array_equal(stopped.solved[0].added, rows + 0.25)
    assert command("--improve", "5").depths.keys() == {6, 7, 8}  # 5 is not there to be corrected
    again = command("--again", "8")
    assert made == [8, 7, 6, 8]
    assert len(again.solved) == 2
    monkeypatch.setattr(
        making.Making,
        "transfer",
        lambda self, starts: {
            line: one._replace(net=len(self.known.solved) / 50) for line, one in starts.items()
        },
    )
    assert command("--transfer", "6").depths[6]["c c"].net == 0.04
    assert {one["c c"].net for one in command("--transfer", "7", "8").depths.values()} == {0.04}


def test_what_was_solved_is_written_down(tmp_path: Path) -> None:
    rows = np.zeros((2, NUM_CLASSES))
    plain = LineStart(rows, rows + 0.5, 0.1, 0.0, 0.0, 0.06)
    lines = {"r200 c": plain, "r300 c": plain._replace(added=rows + 0.0625), "c c": plain}
    solved = (MeasuredLine(50.0, "r300 c", 25, 0.125, 0.25, rows + 0.0625),)
    save_shipped(Shipped({50.0: lines}, 184, solved), tmp_path / FILE)
    known = read_shipped(tmp_path / FILE)
    (one,) = known.solved
    assert one[:5] == solved[0][:5]
    np.testing.assert_array_equal(one.added, solved[0].added)
    read = known.depths[50.0]
    assert [line for line in read if read[line].added is not None] == ["r300 c"]
    np.testing.assert_array_equal(read["r300 c"].too_kind(), rows + 0.5 - 0.0625)
    np.testing.assert_array_equal(read["c c"].too_kind(), rows + 0.5)


def test_aces_are_raised_with_the_flop_values_that_come_along() -> None:
    assert set(making.DEPTHS) == set(shipped().depths)
    game = Preflop(PreflopSetting(10_000)).game()
    street = PreflopStreet(game)
    street.value_flops({line: start.share() for line, start in starts_for(game).items()})
    Driver(street, SCHEMES["dcfr"]).advance(150)
    charts = {
        one["line"]: one for one in PreflopCharts(game, game.game(), street.profile()).node_charts()
    }
    first, answer = charts[""], charts["r250 r750"]
    assert first["classes"]["AA"][first["actions"].index("c")] < 0.2
    assert 0.25 < answer["frequencies"][answer["actions"].index("f")] < 0.5
    assert len(first["classes"]) == len(class_names())
    assert FILE.endswith(".es")
