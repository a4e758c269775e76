"""How exploitable a whole strategy is: charts before the flop, and every flop solved to the river.

Flops are solved with the ranges that the charts bring to them, which is a deterministic strategy.
Against it a best response wins, on each flop, the values that solving it gives; with these at the
ends of the tree, a best response before the flop is found exactly. No strategy of a flop is stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from endspiel.cards.class_equity import class_matchups
from endspiel.cards.removal import unblocked_weights
from endspiel.games.preflop_tree import BIG_BLIND, BUTTON, PreflopGame
from endspiel.kernels.arrays import Float64s, Floats
from endspiel.preflop.flop_lines import FlopSet, Ranges, by_class, held_hands, standard_error
from endspiel.preflop.playing import frequency
from endspiel.preflop.solved_flops import TARGET, SolvedFlops, SolvedPot
from endspiel.preflop.street import PreflopStreet
from endspiel.solvers.boards.plans import BOTH, plan_of

MBB: Final = 1000.0  # of a big blind
SURE: Final = 1.96  # standard errors of an interval that holds the truth in 95 of 100 cases
LOOSEST: Final = 0.02  # of the pot: a line's flops are solved to this at least
LEAST: Final = 1e-300  # weight of a range in which no class is
ALLOWED: Final = 5e-4  # big blinds a hand that a line's flops may lose


class LineLoss(NamedTuple):
    """A line's flops in a certificate."""

    line: str
    frequency: float  # share of hands
    pot: float  # big blinds
    gap: float  # mean exploitability of the flops, as a share of the pot

    @property
    def mbb(self) -> float:
        """What is lost on the line's flops, in thousandths of a big blind a hand."""
        return MBB * self.frequency * self.pot * self.gap

    def record(self) -> dict[str, Any]:
        """Plain values."""
        return {**self._asdict(), "mbb_per_hand": self.mbb}


@dataclass(frozen=True)
class Certificate:
    """The exploitability of charts and solved flops, within their menus."""

    mbb_per_hand: float  # mean of what best responses of both players win
    by_player: tuple[float, float]  # mbb that a best response wins more: big blind, button
    interval: tuple[float, float]  # 95%; a single point where all flops were solved
    exact: bool  # whether all flops were solved
    flops: int
    lines: list[LineLoss]

    def record(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "mbb_per_hand": self.mbb_per_hand,
            "by_player": list(self.by_player),
            "interval": list(self.interval),
            "exact": self.exact,
            "flops_solved": self.flops,
            "lines": [line.record() for line in self.lines],
        }


Solved = Mapping[int, SolvedPot]  # by node


def certify(street: PreflopStreet, flops: SolvedFlops, target: float = TARGET) -> Certificate:
    """Solve all flops of a solved tree and respond to it."""
    return certificate(street, *solve_lines(street, flops, target), flops.boards)


def solve_lines(
    street: PreflopStreet, flops: SolvedFlops, target: float = TARGET
) -> tuple[dict[int, Ranges], Solved]:
    """Solve all flops of a solved tree, those of rare lines less closely; ranges by node, too."""
    game = street.preflop
    ranges = {node: street.coming(node) for node in game.flop_nodes}
    return ranges, {
        node: flops.solve(node, come, _target(game, node, come, target))
        for node, come in ranges.items()
    }


def certificate(
    street: PreflopStreet,
    ranges: Mapping[int, Ranges],
    solved: Solved,
    boards: FlopSet,
) -> Certificate:
    """The certificate of a solved tree whose flops have been solved."""
    game, unit = street.preflop, float(street.preflop.setting.big_blind)
    responses = [_respond(street, player, ranges, solved) for player in BOTH]
    best = [float(responses[p].street.best_values(p).sum()) for p in BOTH]
    played = _with_shares(
        street, {node: _both(line.shares.shares, ranges[node]) for node, line in solved.items()}
    )
    value = float(played.average_values(BIG_BLIND).sum())
    lost = MBB * sum(best) / 2 / unit
    spread = 0.0 if boards.is_whole else _spread(responses, ranges, solved, boards)
    around = SURE * MBB * spread / 2 / unit
    return Certificate(
        lost,
        (MBB * (best[BIG_BLIND] - value) / unit, MBB * (best[BUTTON] + value) / unit),
        (lost - around, lost + around),
        boards.is_whole,
        len(boards.flops),
        [
            LineLoss(game.tree.line(node), frequency(ranges[node]), game.pot(node) / unit, one.gap)
            for node, one in solved.items()
        ],
    )


def _target(game: PreflopGame, node: int, ranges: Ranges, target: float) -> float:
    """How closely a line's flops are solved: a rare line, or a small pot, loses little."""
    worth = frequency(ranges) * game.pot(node) / game.setting.big_blind
    return min(LOOSEST, max(target, ALLOWED / worth if worth else LOOSEST))


class _Response(NamedTuple):
    """A best response before the flop."""

    player: int
    street: PreflopStreet  # whose flops are worth what the response wins there
    reach: Float64s  # [S, 169] of the response's sequences


def _respond(
    street: PreflopStreet,
    player: int,
    ranges: Mapping[int, Ranges],
    solved: Solved,
) -> _Response:
    """The best response of a player to a solved tree."""
    shares = {
        node: _one_sided(player, line.best.shares[player], ranges[node])
        for node, line in solved.items()
    }
    against = _with_shares(street, shares)
    values = against.sequence_values(player)
    behavior = np.zeros_like(values[1:])
    for own in against.street.own(player):
        rows = values[own.span]
        np.put_along_axis(behavior[own.rows], rows.argmax(axis=0)[None], 1.0, axis=0)
    reach = plan_of(against.street, player, against.ranges[player][None], behavior)
    return _Response(player, against, reach)


def _with_shares(street: PreflopStreet, shares: Mapping[int, Floats]) -> PreflopStreet:
    """A solved street whose lines, by node, are worth other shares of the pot."""
    game = replace(street.preflop, shares={})
    found = PreflopStreet(game, (street.ranges[0], street.ranges[1]))
    found.restore(street.state())
    found.value_flops({game.tree.line(node): share for node, share in shares.items()})
    return found


def _one_sided(player: int, wins: Floats, ranges: Ranges) -> Floats:
    """The big blind's share [169, 169] that gives classes of a player what they win [169]."""
    equity, chance = class_matchups().equity, class_matchups().chance
    if player == BIG_BLIND:
        met = chance * ranges[BUTTON]
        own: Floats = wins - (met * equity).sum(axis=1) / np.maximum(met.sum(axis=1), LEAST)
        return equity + own[:, None]
    met = chance * ranges[BIG_BLIND][:, None]
    won = (met * (1.0 - equity)).sum(axis=0) / np.maximum(met.sum(axis=0), LEAST)
    theirs: Floats = wins - won
    return equity - theirs[None, :]


def _both(wins: Floats, ranges: Ranges) -> Floats:
    """The big blind's share [169, 169] that gives its classes what they win [2, 169]."""
    return _one_sided(BIG_BLIND, wins[BIG_BLIND], ranges)


def _spread(
    responses: list[_Response],
    ranges: Mapping[int, Ranges],
    solved: Solved,
    boards: FlopSet,
) -> float:
    """Standard error, in chips, of what both responses win together, by how much flops differ."""
    chance, won = class_matchups().chance, np.zeros(len(boards.flops))
    live = np.stack([place.live for place in boards.places])
    for node, line in solved.items():
        for one in responses:
            game, come = one.street.preflop, ranges[node][1 - one.player]
            met = float((chance @ come if one.player == BIG_BLIND else come @ chance).sum())
            if met <= 0.0:
                continue
            left = by_class(unblocked_weights(held_hands(come) * live) * live)
            scale = game.pot(node) * met / float(boards.weights @ left.sum(axis=1))
            reach = one.reach[one.street.seqs[node][one.player]]
            won += scale * (line.best_won[one.player] @ reach)
    return standard_error(won, boards.weights)
