"""Random menus and trees that several tests draw."""

from hypothesis import assume
from hypothesis import strategies as st

from endspiel.betting import BettingTree, Sizing, StreetMenu, no_limit_tree
from endspiel.errors import BettingError

NUMBERS = st.one_of(
    st.integers(0, 300).map(str), st.floats(0, 300, allow_subnormal=False).map("{:.4f}".format)
)
BET_TOKENS = st.one_of(
    NUMBERS.map("{}%".format),
    st.integers(0, 500).map("{}c".format),
    st.sampled_from(["e", "1e", "2e", "3e", "7e", "e50%", "2e120%", "3e33.3%", "a", "A"]),
)
RAISE_TOKENS = BET_TOKENS | st.floats(1.01, 5).map("{:.2f}x".format)
BETS = st.lists(BET_TOKENS, max_size=2).map(", ".join)
RAISES = st.lists(RAISE_TOKENS, max_size=2).map(", ".join)
STREET_MENUS = st.builds(
    StreetMenu.parse, st.tuples(BETS, BETS), st.tuples(RAISES, RAISES), st.none() | BETS
)
SIZINGS = st.builds(
    Sizing,
    st.tuples(*[STREET_MENUS] * 4),
    st.none() | st.integers(0, 5),
    add_allin_threshold=st.sampled_from([0.0, 0.7, 1.5]),
    force_allin_threshold=st.sampled_from([0.0, 0.15, 0.5]),
    merging_threshold=st.sampled_from([0.0, 0.1, 0.6]),
)


@st.composite
def spot_trees(draw: st.DrawFn) -> BettingTree:
    """A small no-limit tree from the flop, turn or river on, its starting pot even."""
    pot = 2 * draw(st.integers(1, 200))
    stack = draw(st.integers(1, 40 * pot))
    try:
        return no_limit_tree(pot, stack, draw(st.integers(1, 3)), draw(SIZINGS), limit=2000)
    except BettingError:
        assume(False)
        raise
