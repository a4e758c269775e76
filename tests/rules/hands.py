"""Games and random lines of play that the tests of the rules share."""

from pathlib import Path
from random import Random

from hypothesis import strategies as st

from endspiel.rules.acpc import MatchState, view
from endspiel.rules.builtin import builtin_names, load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import FOLD, State, start

ACPC = Path(__file__).parents[1] / "data" / "acpc"
LOGS = sorted(ACPC.glob("*.log"))
GAMES = [load_rules(name) for name in builtin_names()] + [
    load_rules(path) for path in sorted(ACPC.glob("*.game")) if path.stem not in builtin_names()
]


@st.composite
def no_limit_games(draw: st.DrawFn) -> GameDef:
    """Small no-limit games with uneven stacks and any blinds."""
    players = draw(st.integers(2, 5))
    rounds = draw(st.integers(1, 4))
    blinds = draw(st.tuples(*[st.integers(0, 12)] * players))
    extra = draw(st.tuples(*[st.integers(0, 120)] * players).filter(any))
    return GameDef(
        name="drawn",
        no_limit=True,
        blinds=blinds,
        stacks=tuple(blind + more for blind, more in zip(blinds, extra, strict=True)),
        raise_sizes=(),
        max_raises=draw(st.tuples(*[st.sampled_from([0, 1, 3, 255])] * rounds)),
        first_players=draw(st.tuples(*[st.integers(0, players - 1)] * rounds)),
        num_suits=4,
        num_ranks=13,
        num_hole_cards=draw(st.integers(1, 3)),
        num_board_cards=draw(st.tuples(*[st.integers(0, 1)] * rounds)),
    )


games = st.sampled_from(GAMES) | no_limit_games()


@st.composite
def plays(draw: st.DrawFn, to_end: bool = False) -> tuple[State, Deal]:
    """A state some legal actions into a hand (or at its end), and the hand's cards."""
    game = draw(games)
    state = start(game)
    rng = draw(st.randoms(use_true_random=False))
    length = 10**6 if to_end else draw(st.integers(0, 30))
    while not state.finished and length > 0:
        state = state.apply(random_action(state, rng))
        length -= 1
    cards = rng.sample(game.deck, game.num_players * game.num_hole_cards + game.board_sizes[-1])
    split = game.num_players * game.num_hole_cards
    holes = tuple(
        tuple(cards[at : at + game.num_hole_cards]) for at in range(0, split, game.num_hole_cards)
    )
    return state, Deal(holes, tuple(cards[split:]))


def random_action(state: State, rng: Random) -> int:
    """A legal action, raises of all sizes among them; folds are rarer, so that hands go on."""
    actions = list(state.legal_actions())
    if FOLD in actions and rng.random() < 0.7:
        actions.remove(FOLD)
    bounds = state.raise_bounds()
    if bounds is not None:
        actions.append(rng.randint(*bounds))
    return rng.choice(actions)


def shown(play: tuple[State, Deal], position: int | None) -> MatchState:
    """What a position sees of a drawn hand."""
    state, deal = play
    return view(state, deal, 7, position)
