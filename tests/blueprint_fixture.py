"""A small blueprint for tests: coarse cards over all boards, few bets, a random strategy.

Clusters come from four flops. On every other flop a hand's bucket is a child of its preflop bucket
chosen by how strong it is among the hands there: crude, but with perfect recall, suit symmetric and
made in a second, so that agents can be dealt any hand.
"""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from endspiel.abstraction.abstraction import DEAD, Abstraction
from endspiel.abstraction.boards import all_boards, some_boards
from endspiel.abstraction.pipeline import make_abstraction
from endspiel.abstraction.plan import Detail, Plan
from endspiel.abstraction.streets import ClusteringEffort
from endspiel.abstraction.work import Store, Workers
from endspiel.betting.limit import limit_tree
from endspiel.betting.model import BettingModel, parse_model
from endspiel.betting.tree import DECISION
from endspiel.blueprint.blueprint import Blueprint, load_blueprint, save_blueprint
from endspiel.cards.classes import hand_classes
from endspiel.cards.strength import board_strengths
from endspiel.rules.builtin import load_rules
from endspiel.rules.game_def import GameDef

PLAN = Plan((4, 3, 2, 2), detail=Detail(9, 12, 10), effort=ClusteringEffort(500, 1))
MODEL = """
name = "small"
force_allin_threshold = 0.15
[[rule]]
street = "preflop"
raises = 0
sizes = "100%"
[[rule]]
street = ["flop", "turn", "river"]
raises = 0
sizes = "75%"
"""


@cache
def small_abstraction() -> Abstraction:
    """Buckets 4 / 12 / 24 / 48 of every hand on every board."""
    made = make_abstraction(PLAN, some_boards(4), Store(None), Workers())
    boards = all_boards()
    first = made.flop.family.first
    before = made.preflop.buckets[hand_classes()]  # [1326]
    begin, children = first[before], np.diff(first)[before]
    buckets = np.full((len(boards.flops), len(before)), DEAD, np.uint16)
    for row, flop in enumerate(boards.flops.tolist()):
        strengths = board_strengths(flop)
        live = strengths > 0
        shares = np.searchsorted(np.sort(strengths[live]), strengths[live]) / live.sum()
        buckets[row, live] = begin[live] + (shares * children[live]).astype(np.int64)
    level = replace(made.flop, buckets=buckets.reshape(-1))
    return replace(made, boards=boards, flop=level).compact()


def small_model() -> BettingModel:
    """One size before anybody bets, then all-in."""
    return parse_model(MODEL)


def small_game() -> GameDef:
    """No-limit hold'em with 200 big blinds."""
    return load_rules("nolimit-holdem")


def gift_codes(node: int, shape: tuple[int, int]) -> NDArray[np.uint8]:
    """Gifts [A, K] of a decision, at random; the first action gives nothing away."""
    codes = np.random.default_rng(node).integers(0, 120, shape).astype(np.uint8)
    codes[0] = 0
    return codes


def save_small(
    path: Path, seed: int = 1, gifts: bool = False, limit: GameDef | None = None
) -> Path:
    """Write a blueprint with a random strategy, some actions never played; or of a limit game."""
    game, model = limit or small_game(), None if limit else small_model()
    abstraction = small_abstraction()
    tree = limit_tree(game) if model is None else model.tree(game)
    strategy = {}
    rng = np.random.default_rng(seed)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        shape = int(tree.num_children[node]), abstraction.sizes[tree.street[node]]
        rows = rng.random(shape) ** 3 * (rng.random(shape) < 0.8) + 1e-9
        rows[rows < 1e-6] = 0
        rows[-1] += rows.sum(axis=0) == 0
        strategy[node] = rows / rows.sum(axis=0)
    record = {
        "exploitability": 1.25,
        "method": "random",
        "iterations": 2,
        "seconds": 0.5,
        "seed": seed,
        "trace": [(1, 0.25, 2.5), (2, 0.5, 1.25)],
    }
    given = (lambda node: gift_codes(node, strategy[node].shape)) if gifts else None
    save_blueprint(path, game, model, abstraction, strategy.__getitem__, record, gifts=given)
    return path


def small_blueprint(folder: Path, gifts: bool = False, limit: bool = False) -> Blueprint:
    """The blueprint in a folder, made there if need be."""
    name = "limit" if limit else "gifts" if gifts else "small"
    path = folder / f"{name}.blueprint"
    game = load_rules("limit-holdem") if limit else None
    return load_blueprint(path if path.exists() else save_small(path, gifts=gifts, limit=game))
