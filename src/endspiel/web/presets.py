"""Ranges to start from: round ones that players know, by seat in heads-up play."""

PRESETS = [
    {"name": "Everything", "text": "random"},
    {"name": "Nothing", "text": ""},
    {"name": "Tight, 11%", "text": "77+,A9s+,KTs+,QTs+,JTs,ATo+,KQo"},
    {"name": "Medium, 26%", "text": "55+,A2s+,K6s+,Q8s+,J8s+,T8s+,98s,A7o+,K9o+,QTo+,JTo"},
    {
        "name": "Wide, 50%",
        "text": "22+,A2s+,K2s+,Q2s+,J4s+,T6s+,96s+,86s+,76s,65s,A2o+,K5o+,Q7o+,J7o+,T8o+,98o",
    },
    {
        "name": "Button opens",
        "text": "22+,A2s+,K2s+,Q2s+,J2s+,T4s+,95s+,85s+,74s+,64s+,53s+,43s,A2o+,K4o+,Q6o+,J7o+,"
        "T7o+,97o+,87o,76o",
    },
    {
        "name": "Big blind calls",
        "text": "66-22,A9s-A2s,KTs-K2s,QTs-Q2s,J9s-J3s,T9s-T5s,98s-95s,87s-85s,76s-74s,65s-63s,"
        "54s-53s,43s,AJo-A2o,KJo-K6o,QJo-Q8o,JTo-J8o,T9o-T8o,98o,87o",
    },
    {
        "name": "Big blind reraises",
        "text": "99+,ATs+,KJs+,QJs,A5s-A2s:0.5,76s:0.5,65s:0.5,AQo+,KQo:0.5",
    },
    {
        "name": "Button calls a reraise",
        "text": "TT-22,AQs-A2s,KQs-K8s,QJs-Q9s,J9s+,T8s+,97s+,87s,76s,65s,54s,AQo-ATo,KQo-KJo,QJo",
    },
    {"name": "Button reraises again", "text": "QQ+,AKs,AKo,A5s-A4s:0.5,KJs:0.25"},
    {"name": "Big blind calls a third raise", "text": "JJ-99,AQs-ATs,KQs,AQo:0.5"},
    {"name": "Pairs", "text": "22+"},
    {"name": "Suited aces", "text": "A2s+"},
    {"name": "Broadway", "text": "TT+,ATs+,KTs+,QTs+,JTs,ATo+,KTo+,QTo+,JTo"},
]


def preset(name: str) -> str:
    """The text of a preset."""
    return next(one["text"] for one in PRESETS if one["name"] == name)


# Ranges of the flop by kind of pot (`endspiel.review.kinds.POTS`), out of position first: the
# button in position raised last where the raises are odd.
POT_RANGES = {
    "limped pot": ("Everything", "Wide, 50%"),
    "single-raised pot": ("Big blind calls", "Button opens"),
    "3-bet pot": ("Big blind reraises", "Button calls a reraise"),
    "4-bet pot or more": ("Big blind calls a third raise", "Button reraises again"),
}
