"""Rules: random heads-up hands a second through the state machine, beside pokerkit.

Run with ``python benchmarks/rules.py``. A hand is dealt, played with random legal actions and paid.
"""

import random
import warnings
from itertools import islice
from time import perf_counter

import pokerkit
from rich.console import Console
from rich.table import Table

from endspiel.cards.text import format_cards
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal, deals
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import FOLD, State, start

HANDS = 30_000
POKERKIT_HANDS = 500
GAMES = ("nolimit-holdem", "limit-holdem", "leduc", "kuhn")


def main() -> None:
    """Measure and print the table."""
    table = Table("game", "hands/s", "actions/s", "actions a hand", "showdowns", title="Rules")
    for name in GAMES:
        game = load_rules(name)
        _play(game, 200)  # compiles the hand evaluator
        begin = perf_counter()
        actions, showdowns = _play(game, HANDS)
        seconds = perf_counter() - begin
        table.add_row(
            name,
            f"{HANDS / seconds:,.0f}",
            f"{actions / seconds:,.0f}",
            f"{actions / HANDS:.1f}",
            f"{showdowns / HANDS:.0%}",
        )
    console = Console()
    console.print(table)
    ours, theirs = _same_hands(load_rules("nolimit-holdem"))
    console.print(
        f"The same {POKERKIT_HANDS} no-limit hands: {theirs / ours:.0f} times pokerkit's speed"
    )


def _play(game: GameDef, hands: int) -> tuple[int, int]:
    """Deal, play and pay hands; the number of actions and of showdowns."""
    rng = random.Random(1)
    actions = showdowns = 0
    for deal in islice(deals(game, 1), hands):
        state = start(game)
        while not state.finished:
            state = state.apply(_choose(state, rng))
            actions += 1
        state.payoffs(deal)
        showdowns += state.showdown
    return actions, showdowns


def _choose(state: State, rng: random.Random) -> int:
    """A random legal action; three folds of four are turned into calls, so that hands go on."""
    action = rng.choice(state.legal_actions())
    return 0 if action == FOLD and rng.random() < 0.75 else action


def _same_hands(game: GameDef) -> tuple[float, float]:
    """Seconds to play one list of recorded hands here and in pokerkit."""
    rng = random.Random(2)
    recorded: list[tuple[Deal, list[tuple[int, int]]]] = []
    for deal in islice(deals(game, 2), POKERKIT_HANDS):
        state, line = start(game), []
        while not state.finished:
            action = _choose(state, rng)
            line.append((action, action - state.street_start))
            state = state.apply(action)
        recorded.append((deal, line))
    begin = perf_counter()
    for deal, line in recorded:
        state = start(game)
        for action, _ in line:
            state = state.apply(action)
        state.payoffs(deal)
    ours = perf_counter() - begin
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pokerkit warns of every card chosen by hand
        begin = perf_counter()
        for deal, line in recorded:
            _play_in_pokerkit(deal, line)
        return ours, perf_counter() - begin


def _play_in_pokerkit(deal: Deal, line: list[tuple[int, int]]) -> None:
    """One no-limit hand; a line holds actions with their chips of the street."""
    automations = tuple(
        automation
        for automation in pokerkit.Automation
        if automation.name not in ("HOLE_DEALING", "BOARD_DEALING")
    )
    table = pokerkit.NoLimitTexasHoldem.create_state(automations, True, 0, (50, 100), 100, 20000, 2)
    for hole in deal.holes:
        table.deal_hole(format_cards(hole))
    board, moves = list(deal.board), iter(line)
    while table.status:
        if table.can_deal_board():
            count = 3 if len(board) == 5 else 1
            table.deal_board(format_cards(board[:count]))
            del board[:count]
            continue
        action, chips = next(moves)
        if action == FOLD:
            table.fold()
        elif action == 0:
            table.check_or_call()
        else:
            table.complete_bet_or_raise_to(chips)


if __name__ == "__main__":
    main()
