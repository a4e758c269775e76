"""All-in expectation: where no decision is left, the mean over the cards to come is paid.

The estimate is unbiased, because the cards to come are the dealer's alone, and less noisy, because
their luck is gone.
"""

from itertools import combinations

from endspiel.cards.equity import hand_equity
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State


def cards_at_last_action(state: State) -> int:
    """How many board cards lay open when the last action of a finished hand was taken."""
    return state.game.board_sizes[state.line.rstrip("/").count("/")]


def expected_payoffs(state: State, deal: Deal, payoffs: tuple[float, ...]) -> tuple[float, ...]:
    """Payoffs [2] by position with the luck of an all-in's run-out taken out.

    The payoffs given are those of the actual board, and stay where no card was to come.
    """
    if not state.showdown:
        return payoffs
    seen = cards_at_last_action(state)
    if seen == len(deal.board):
        return payoffs
    spent = state.spent
    if is_holdem(state.game) and spent[0] == spent[1]:
        first = sorted(deal.holes[0])
        won = spent[0] * (2 * hand_equity(first, sorted(deal.holes[1]), deal.board[:seen]) - 1)
        return won, -won
    return _enumerated(state, deal, seen)


def _enumerated(state: State, deal: Deal, seen: int) -> tuple[float, ...]:
    """The mean over all run-outs, each paid by the rules: [2]."""
    known = deal.board[:seen]
    dead = {*known, *(card for hole in deal.holes for card in hole)}
    left = [card for card in state.game.deck if card not in dead]
    paid = [
        state.payoffs(Deal(deal.holes, (*known, *run_out)))
        for run_out in combinations(left, len(deal.board) - seen)
    ]
    return tuple(sum(chips) / len(paid) for chips in zip(*paid, strict=True))


def is_holdem(game: GameDef) -> bool:
    """Whether showdowns are those of the 52-card game with two and five cards."""
    return (
        (game.num_suits, game.num_ranks, game.num_hole_cards) == (4, 13, 2)
        and game.board_sizes[-1] == 5
        and game.ranking == "standard"
    )
