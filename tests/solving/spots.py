"""Small spots that several tests solve."""

from typing import Any

from endspiel.games.spot import Spot, parse_spot

# Nuts or air against one bluff-catcher, no card in common: solved by hand.
CLAIRVOYANT: dict[str, Any] = {
    "board": "2c 2d 7h 8s Kd",
    "pot": 100,
    "stack": 900,
    "ranges": ["KhKc, 4c3c, 4h3h", "AsAh"],
    "river": {"bet": ["100%", ""]},
}
RIVER: dict[str, Any] = {
    "board": "Qs Jh 2h 4c 7d",
    "pot": 200,
    "stack": 400,
    "ranges": ["TT,AJs,KQo,98s,A5s:0.5", "QQ,JJ,AQs,KTs,T9s:0.25"],
    "river": {"bet": "50%, 100%", "raise": "60%"},
}
TURN: dict[str, Any] = {
    "board": "Qs Jh 2h 4c",
    "pot": 200,
    "stack": 400,
    "ranges": ["TT,AhJd,KQs", "JJ,AQs,T9s:0.5"],
    "turn": {"bet": "100%"},
    "river": {"bet": "100%"},
}
# Clubs, diamonds and spades can be exchanged here.
SYMMETRIC_TURN: dict[str, Any] = {
    "board": "Kh 9h 5h 2h",
    "pot": 100,
    "stack": 300,
    "ranges": ["AA,KQs,98o", "KK,A9s,87s"],
    "turn": {"bet": "75%"},
    "river": {"bet": "75%"},
}
SYMMETRIC_FLOP: dict[str, Any] = {
    "board": "Kh 9h 5h",
    "pot": 100,
    "stack": 100,
    "ranges": ["AA,Q8s", "KQs,87s"],
    "flop": {"bet": ""},
    "turn": {"bet": ""},
    "river": {"bet": "50%"},
}
FLOP: dict[str, Any] = {
    "board": "Kh 9h 5h",
    "pot": 100,
    "stack": 100,
    "ranges": ["AsAc,Qc8c", "KdQd"],
    "flop": {"bet": ""},
    "turn": {"bet": ""},
    "river": {"bet": "100%"},
}


def spot(content: dict[str, Any], **changes: Any) -> Spot:
    """A spot of such content, with other values for some keys."""
    return parse_spot({**content, **changes})


def checked_down(content: dict[str, Any]) -> Spot:
    """The same spot where nobody ever bets."""
    streets = {name: {"bet": ""} for name in ("flop", "turn", "river") if name in content}
    return parse_spot({**content, **streets})
