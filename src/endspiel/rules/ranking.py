"""Who wins a showdown, as data: each game names the ranking that compares its hands."""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from endspiel.cards.deck import rank_of, suit_of
from endspiel.cards.strength import strength


class Ranking(NamedTuple):
    """A way to order hands: a higher number wins, equal numbers split."""

    rank: Callable[[Sequence[int]], int]  # private and board cards together -> number
    sizes: range  # how many cards a hand may have


def standard(cards: Sequence[int]) -> int:
    """The usual order of poker hands, the best five cards counting.

    Fewer than five cards make no straight or flush, so they compare by multiples, then by rank:
    high card in Kuhn, a pair over the higher card in Leduc.
    """
    count = len(cards)
    if 5 <= count <= 7:
        return strength(cards)
    if count > 7:
        return max(strength(five) for five in combinations(cards, 5))
    return _by_multiples(cards)


def three_card(cards: Sequence[int]) -> int:
    """The order of three-card hands in Rhode Island hold'em; the ace also plays low in A-2-3.

    Straight flush, three of a kind, straight, flush, pair, high card: by rarity of three cards,
    hence a straight above a flush.
    """
    ranks = sorted((rank_of(card) for card in cards), reverse=True)
    flush = len({suit_of(card) for card in cards}) == 1
    top = _straight_top(ranks)
    if top is not None:
        return (5 if flush else 3) << 28 | top
    if ranks[0] == ranks[2]:
        return 4 << 28 | ranks[0]
    if flush:
        return 2 << 28 | _by_multiples(cards)
    return _by_multiples(cards)


def _straight_top(ranks: Sequence[int]) -> int | None:
    """Top rank of three different falling ranks that are consecutive, if they are."""
    high, middle, low = ranks
    if high - 1 == middle and middle - 1 == low:
        return high
    return 1 if (high, middle, low) == (12, 1, 0) else None


def _by_multiples(cards: Sequence[int]) -> int:
    """Order up to four cards by how often ranks repeat, then by the ranks: less than 1 << 28.

    The repeats, largest first, order the shapes of hands of one size as poker does:
    1111 < 211 < 22 < 31 < 4.
    """
    groups = sorted(
        ((times, rank) for rank, times in Counter(map(rank_of, cards)).items()), reverse=True
    )
    groups += [(0, 0)] * (4 - len(groups))
    number = 0
    for times, _ in groups:
        number = number << 3 | times
    for _, rank in groups:
        number = number << 4 | rank
    return number


RANKINGS: Final = {
    "standard": Ranking(standard, range(1, 11)),
    "three-card": Ranking(three_card, range(3, 4)),
}
