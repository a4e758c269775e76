"""Facts about the strategies of a solved deck: first in, actions never taken, compression."""

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from endspiel.games.holdem import Holdem
from endspiel.gpu.backend import StreamBackend
from endspiel.gpu.machine import Kind
from endspiel.kernels.arrays import Float64s
from endspiel.kernels.packing import PackedShape, pack, unpack
from endspiel.solvers.boards.plans import behavior_of
from endspiel.solvers.boards.store import BoardStore
from endspiel.solvers.boards.subgames import fixed_scale
from endspiel.solvers.boards.trunk import TrunkBackend

BITS: Final = 12  # of fixed-point regrets, see `fixed_scale`
STREETS: Final = ("preflop", "flop", "turn", "river")
DEALER: Final = 1


def facts_of(game: Holdem, stored: Callable[[], BoardStore]) -> dict[str, Any]:
    """Facts about strategies in one process."""
    store = stored()
    return {
        "first_in": first_in(game, store.behavior(0, 0, DEALER)),
        "never_taken": never_taken(store),
        "compression": compression(game, store),
    }


def facts_of_streams(game: Holdem, backend: StreamBackend) -> dict[str, Any]:
    """Facts about strategies that stay with the workers: preflop only."""
    weights = backend.batch.read(Kind.AVERAGE, (0, 0, 0, DEALER))
    return _of_preflop(game, behavior_of(game.cards.streets[0], DEALER, weights))


def facts_of_packed(game: Holdem, backend: TrunkBackend) -> dict[str, Any]:
    """Facts about strategies that stay packed: preflop only."""
    return _of_preflop(game, backend.preflop(DEALER))


def _of_preflop(game: Holdem, behavior: Float64s) -> dict[str, Any]:
    """Facts about the dealer's behavior preflop [S - L, K]."""
    return {"first_in": first_in(game, behavior), "never_taken": None, "compression": None}


def first_in(game: Holdem, behavior: Float64s) -> dict[str, float]:
    """How often the dealer folds, limps and raises first in, and caps when it can.

    By its behavior preflop [S - L, K]. Every hand is as likely; "cap" is of the hands with which
    the dealer raised and was raised.
    """
    betting, street = game.betting, game.cards.streets[0]
    words, rows = betting.words(0), street.first[DEALER][0] - 1
    shares = dict(zip(words, behavior[rows : rows + len(words)], strict=True))
    raising = next((word for word in words if word not in "fc"), None)
    found = {"fold": float(shares["f"].mean()), "limp": float(shares["c"].mean())}
    found["raise"] = float(shares[raising].mean()) if raising else 0.0
    node = 0
    for _ in range(2):  # the dealer's raise and the big blind's
        node = next((c for c in betting.children(node) if betting.action[c] > 0), -1)
    if raising and node > 0 and node in street.decisions[DEALER] and betting.num_children[node] > 2:
        first = street.first[DEALER][street.decisions[DEALER].index(node)] - 1
        capped = behavior[first + 2] * shares[raising]
        found["cap"] = float(capped.sum() / max(shares[raising].sum(), 1e-12))
    return found


def never_taken(store: BoardStore) -> dict[str, float]:
    """Share of actions by street that current strategies never take, of infosets with regrets."""
    found = {}
    for s, street in enumerate(store.game.streets):
        unused = actions = 0
        for player in (0, 1):
            rows = store.street_rows(store.regret, s, player)
            for own in street.own(player):
                regrets = rows[:, own.rows]
                some = (regrets > 0).any(axis=1, keepdims=True)
                unused += int((some & (regrets <= 0)).sum())
                actions += own.actions * int(some.sum())
        found[STREETS[s]] = unused / max(actions, 1)
    return found


def compression(game: Holdem, store: BoardStore) -> dict[str, Any]:
    """Bits a regret and values a second, packed in fixed point, by street and in all."""
    bits, values, packing, unpacking = [], [], 0.0, 0.0
    for s in range(len(store.game.streets)):
        used = count = 0
        for player in (0, 1):
            side = store.game.cards[s].sides[player]
            regrets = store.street_rows(store.regret, s, player)
            rows = regrets.shape[1]
            shape, flat = PackedShape(side.start, side.hands, rows), np.maximum(regrets, 0).ravel()
            back, scale = np.empty_like(flat), fixed_scale(game.cards.tree, s, BITS)
            started = time.process_time()
            words = pack(flat, shape, scale)
            middle = time.process_time()
            unpack(words, shape, scale, back)
            packing, unpacking = (
                packing + middle - started,
                unpacking + time.process_time() - middle,
            )
            assert np.array_equal(flat, back)
            used, count = used + 8 * len(words), count + int(side.hands.sum()) * rows
        bits.append(used)
        values.append(count)
    return {
        "bits_a_value": {
            name: used / count for name, used, count in zip(STREETS, bits, values, strict=True)
        },
        "ratio": 32 * sum(values) / sum(bits),
        "packed_a_second": sum(values) / max(packing, 1e-9),
        "unpacked_a_second": sum(values) / max(unpacking, 1e-9),
        "fixed_point_bits": BITS,
    }


def word_compression(told: dict[str, Any]) -> str:
    """Bits and speed of packing in words."""
    by_street = ", ".join(f"{name} {x:.2f}" for name, x in told["bits_a_value"].items())
    return (
        f"Packed at {told['fixed_point_bits']} bits: {by_street} bits a regret, 1 in "
        f"{told['ratio']:.1f} of 32-bit floats; {told['packed_a_second'] / 1e6:.0f} million "
        f"values a second packed, {told['unpacked_a_second'] / 1e6:.0f} unpacked"
    )
