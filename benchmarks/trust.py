"""What trust in the opponent's range costs a safe technique, and what it wins.

On three rivers a strategy that is good against any hand is solved again by a safe technique, every
hand's value against that strategy being its limit, and the opponent believed to hold a narrower
range. `worst` is the most by which a hand is over its limit, `mean` the same over all hands (none
counts below 0), `believed` what the opponent's best response wins with the believed range, less
what it won before; all in percent of the pot. Without trust the first two are what the solver's gap
leaves, and vanish with iterations.
"""

from dataclasses import dataclass

import numpy as np

from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.cards.live import live_hands
from endspiel.cards.ranges import parse_range
from endspiel.cards.removal import unblocked_weight
from endspiel.cards.text import parse_cards
from endspiel.endgame.safe.live import LiveEndgame, Offer
from endspiel.endgame.safe.techniques import MAXMARGIN, RESOLVE, Technique
from endspiel.engine.limits import Limits
from endspiel.kernels.arrays import Float64s
from endspiel.ranges.line import with_every_hand
from endspiel.rules.builtin import load_rules
from endspiel.rules.state import CALL, State, start

BOARDS = ("Ks Th 7s 4d 2s", "Qd Qh 9c 5s 2c", "Ah Jd 8d 7c 3h")
RANGES = ("88+,A9s+,KTs+,QTs+,JTs,ATo+,KJo+", "22+,A2s+,K9s+,Q9s+,J9s+,T8s+,98s,87s,ATo+,KTo+")
SIZING = Sizing.same(StreetMenu.parse("50%, 100%", "100%"), max_raises=3)
BEFORE, ITERATIONS = 200, 1000  # of the strategy that is there, and of the safe solve
TRUSTS = (0.0, 0.1)


def river() -> State:
    """The river after a raise to 900 before the flop."""
    state = start(load_rules("nolimit-holdem"))
    for action in (900, CALL, CALL, CALL, CALL, CALL):
        state = state.apply(action)
    return state


@dataclass(frozen=True)
class Case:
    """A river with a strategy, and what it leaves the opponent, player 0."""

    board: tuple[int, ...]
    base: LiveEndgame
    before: Float64s  # [1326] chips

    @classmethod
    def of(cls, text: str) -> "Case":
        """The strategy that some iterations find against any hand."""
        board = tuple(parse_cards(text))
        one, two = live_hands(board), with_every_hand(parse_range(RANGES[1]), board)
        base = LiveEndgame(river(), board, (one, two), SIZING)
        base.solve(Limits(0.0, BEFORE))
        return cls(board, base, base.root_values(0))

    def cost(self, technique: Technique, trust: float) -> tuple[float, float, float]:
        """`worst`, `mean` and `believed`, in percent of the pot."""
        live, own = live_hands(self.board), self.base.ranges[1]
        belief = parse_range(RANGES[0]) * live
        safe = LiveEndgame(river(), self.board, (live, own), SIZING)
        offer = Offer(self.before, np.zeros(len(live)), belief, trust)
        safe.solve_safely(1, technique, offer, Limits(0.0, ITERATIONS))
        more = (safe.root_values(0) - self.before) * 100 / safe.pot
        met = belief * unblocked_weight(own)
        over = np.maximum(more[live > 0], 0.0)
        return float(over.max()), float(over.mean()), float(met @ more / met.sum())


def main() -> None:
    print(f"{'board':17}{'technique':18}{'trust':>6}{'worst':>9}{'mean':>9}{'believed':>10}")
    for text in BOARDS:
        case = Case.of(text)
        for technique in (RESOLVE, MAXMARGIN):  # without gifts the third is the second
            for trust in TRUSTS:
                worst, mean, believed = case.cost(technique, trust)
                cells = f"{trust:6.1f}{worst:9.3f}{mean:9.4f}{believed:10.3f}"
                print(f"{text:17}{technique.name:18}{cells}", flush=True)


if __name__ == "__main__":
    main()
