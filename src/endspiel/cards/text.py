"""Cards, boards and hands as people write them: ``As``, ``Jc 6s 2c``, ``AhKh``."""

from collections.abc import Iterable, Sequence

from endspiel.cards.deck import RANKS, SUITS, make_card, rank_of, suit_of
from endspiel.errors import CardError

BOARD_SIZES = (0, 3, 4, 5)
_SEPARATORS = " \t\r\n,"


def format_card(card: int) -> str:
    """``As`` for 51."""
    return RANKS[rank_of(card)] + SUITS[suit_of(card)]


def format_cards(cards: Iterable[int], separator: str = "") -> str:
    """``Jc6s2c``, in the order given.

    Examples:
        >>> import endspiel as es
        >>> es.format_cards([43, 38, 2])
        'QsJh2h'
    """
    return separator.join(format_card(int(card)) for card in cards)


def format_hand(cards: Sequence[int]) -> str:
    """Two cards, higher card first: ``AhKh``."""
    return format_cards(sorted((int(card) for card in cards), reverse=True))


def parse_card(text: str) -> int:
    """One card; ``as``, ``AS`` and ``10s`` are read too."""
    cards = parse_cards(text)
    if len(cards) != 1:
        raise CardError(f"expected one card, got {len(cards)} in {text!r}")
    return cards[0]


def parse_cards(text: str) -> list[int]:
    """Different cards, run together or separated by spaces or commas.

    Examples:
        >>> import endspiel as es
        >>> es.parse_cards("Qs Jh 2h")
        [43, 38, 2]
    """
    cards: list[int] = []
    at = 0
    while at < len(text):
        if text[at] in _SEPARATORS:
            at += 1
            continue
        card, width = _card_at(text, at)
        if card in cards:
            raise CardError(
                f"card {format_card(card)} at position {at + 1} of {text!r} is repeated"
            )
        cards.append(card)
        at += width
    return cards


def parse_hand(text: str) -> tuple[int, int]:
    """Two different cards, low card first."""
    cards = parse_cards(text)
    if len(cards) != 2:
        raise CardError(f"a hand has two cards, {text!r} has {len(cards)}")
    lo, hi = sorted(cards)
    return lo, hi


def parse_board(text: str) -> list[int]:
    """Zero, three, four or five different cards, in the order dealt."""
    cards = parse_cards(text)
    if len(cards) not in BOARD_SIZES:
        raise CardError(f"a board has 0, 3, 4 or 5 cards, {text!r} has {len(cards)}")
    return cards


def _card_at(text: str, at: int) -> tuple[int, int]:
    """Card that starts at an offset, and how many characters it takes."""
    width = 3 if text.startswith("10", at) else 2
    token = text[at : at + width]
    rank = 8 if width == 3 else RANKS.find(token[0].upper())
    suit = SUITS.find(token[-1].lower()) if len(token) == width else -1
    if rank < 0 or suit < 0:
        raise CardError(
            f"no card {token!r} at position {at + 1} of {text!r}: "
            "a card is a rank (2-9, T, J, Q, K, A) and a suit (c, d, h, s)"
        )
    return make_card(rank, suit), width
