"""Small rivers and flops, quick to solve."""

from endspiel.games.spot import Spot, parse_spot

RIVER_CARDS = ("7d", "8d", "9d", "Td")


def river(card: str = "7d", pot: int = 200) -> Spot:
    """A river of some fifty hands a side."""
    return parse_spot(river_content(card, pot))


def river_content(card: str = "7d", pot: int = 200) -> dict[str, object]:
    """The same as the content of a spot file."""
    return {
        "board": f"Qs Jh 2h 4c {card}",
        "pot": pot,
        "stack": 300,
        "ranges": ["AA-TT,AJs-A9s,KQo:0.5", "AQs+,JJ-77,KTs"],
        "river": {"bet": "75%", "raise": "a"},
    }


def flop(board: str = "Qs Jh 2h", ranges: tuple[str, str] = ("AA,KQs,76s", "QQ,AJs,98s")) -> Spot:
    """A flop with a dozen hands a side and one bet a street."""
    return parse_spot(flop_content(board, ranges))


def flop_content(
    board: str = "Qs Jh 2h", ranges: tuple[str, str] = ("AA,KQs,76s", "QQ,AJs,98s")
) -> dict[str, object]:
    """The same as the content of a spot file."""
    return {
        "board": board,
        "pot": 100,
        "stack": 200,
        "ranges": list(ranges),
        "flop": {"bet": "50%"},
        "turn": {"bet": ["", "a"]},
        "river": {"bet": ""},
    }
