"""What bets outside a tree win against each reverse mapping, in the clairvoyance game.

The opponent, player 0, knows who wins and may bet any whole number of chips. Our player has solved
the game for each size of a menu, and answers every other bet as a mapping takes it. How much more
than the game's value does the opponent's best response win? All of it is exact: choices in a real
betting tree, equilibria by LP, and the best response in the game of all sizes.
"""

from dataclasses import dataclass
from typing import Any, Final

from endspiel.betting import BettingTree, Sizing, StreetMenu, no_limit_tree
from endspiel.betting.translation import MAPPINGS, Bet, Mapping, choices
from endspiel.betting.tree import BY_CALL, BY_FOLD
from endspiel.game import Game, Profile, best_response
from endspiel.games import Chance, Decision, Leaf, build, clairvoyance
from endspiel.games.tree import Node
from endspiel.solvers import lp

POT: Final = 100  # chips, so that a chip is a hundredth of the pot
NOTHING: Final = 1e-9  # of the pot: a gain that rounding explains


@dataclass(frozen=True)
class MenuAbstraction:
    """What our player knows: a menu, and how many pots each player has behind."""

    menu: str
    stack: int  # pots
    note: str

    def tree(self) -> BettingTree:
        """The river's betting with this menu, the opponent first to act."""
        menus = (None, None, None, StreetMenu.parse(self.menu, ""))
        return no_limit_tree(POT, self.stack * POT, 3, Sizing(menus))


ABSTRACTIONS: Final = (
    MenuAbstraction("a", 1, "check or pot"),
    MenuAbstraction("1%, a", 1, "Figure 2's sizes"),
    MenuAbstraction("100%, a", 4, "Figure 3's sizes"),
    MenuAbstraction("100%, a", 20, "pot or all-in, the paper's example"),
    MenuAbstraction("50%, 100%, 200%, a", 20, "a fuller menu"),
)


@dataclass(frozen=True)
class MappingGain:
    """What an opponent who bets any size wins against a mapping, in shares of the pot."""

    mapping: str
    gain: float  # more than the game's value, a hand: by value bets and by bluffs together
    gain_by_value: float
    gain_by_bluffs: float
    value_bet: float  # the opponent's size with a winner; 0 is a check
    value_called: float  # how often our player calls it
    bluff: float  # the size with a loser; 0 where no bluff wins more than a check
    bluff_called: float


def any_bet_game(stack: int) -> Game:
    """The clairvoyance game in which player 0 may bet 1 to `stack` chips into a pot of `POT`."""

    def expand(state: tuple[Any, ...]) -> Node:
        if not state:
            return Chance([(0.5, (1,)), (0.5, (-1,))])
        sign = state[0]
        match state[1:]:
            case ():
                bets = [(str(chips), (sign, chips)) for chips in range(stack + 1)]
                return Decision(0, "win" if sign > 0 else "lose", bets)
            case (0,):
                return Leaf(sign * POT / 2)
            case (chips,):
                answers = [("fold", (sign, chips, "f")), ("call", (sign, chips, "c"))]
                return Decision(1, str(chips), answers)
            case (_, "f"):
                return Leaf(POT / 2)
            case (chips, _):
                return Leaf(sign * (POT / 2 + chips))
        raise AssertionError(state)

    return build((), expand, "clairvoyance with any bet")


def call_probability(chips: int) -> float:
    """How often player 1 calls a bet in the equilibrium of the game that has this size only."""
    if chips == 0:
        return 1.0  # after a check the hands are shown, as after a call
    game = clairvoyance(bet=chips, pot=POT)
    behavior = lp.solve(game).profile.behavior[1]
    assert game.labels is not None
    named = game.labels[1].walk(game.plexes[1])
    return float(next(behavior[s] for _, action, s in named if action == "call"))


def called(known: MenuAbstraction, mapping: Mapping) -> list[float]:
    """How often our player calls each number of chips [stack + 1], as the mapping takes it."""
    tree = known.tree()
    calls = {
        child: call_probability(max(int(tree.action[child]), BY_CALL))
        for child in tree.children(0)
        if tree.action[child] != BY_FOLD
    }
    chances = [1.0]
    for chips in range(1, tree.stack + 1):
        options = choices(tree, 0, Bet.in_tree(tree, 0, chips), mapping)
        chances.append(sum(chance * calls[child] for child, chance in options))
    return chances


def gains(known: MenuAbstraction) -> tuple[float, list[MappingGain]]:
    """The game's value as a share of the pot, and what the best response to each mapping gains."""
    game = any_bet_game(known.stack * POT)
    value = lp.solve(game).value
    found = [_gain(game, value, name, called(known, f)) for name, f in MAPPINGS.items()]
    return value / POT, found


def _gain(game: Game, value: float, mapping: str, chances: list[float]) -> MappingGain:
    """Best respond to a player who calls each number of chips with its chance."""
    assert game.labels is not None
    behavior = game.plexes[1].uniform()
    for chips, action, s in game.labels[1].walk(game.plexes[1]):
        chance = chances[int(chips)]
        behavior[s] = chance if action == "call" else 1.0 - chance
    best, response = best_response(game, 0, Profile((game.plexes[0].uniform(), behavior)))
    named = game.labels[0].walk(game.plexes[0])
    bets = {hand: int(chips) for hand, chips, s in named if response[s] == 1.0}
    # A loser's bet wins the pot from a fold and loses the bet to a call; a check wins nothing.
    win, lose = bets["win"], bets["lose"]
    by_bluffs = 0.5 * (1.0 - chances[lose] * (1.0 + lose / POT))
    if by_bluffs < NOTHING:
        by_bluffs, lose = 0.0, 0
    gain = (best - value) / POT
    return MappingGain(
        mapping,
        gain,
        gain - by_bluffs,
        by_bluffs,
        win / POT,
        chances[win],
        lose / POT,
        chances[lose],
    )
