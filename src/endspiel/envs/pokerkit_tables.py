"""Tables of pokerkit: a hand of ours as one of its states, and back.

Seats are positions, as pokerkit has them heads-up: seat 0 posts the big blind.
"""

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

from endspiel.agent.moves import moves_of
from endspiel.cards.text import format_cards, parse_cards
from endspiel.errors import RulesError
from endspiel.rules.amounts import from_street_amount, street_amount
from endspiel.rules.builtin import load_rules
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, FOLD, State, start


class KitHand(NamedTuple):
    """A hand read from pokerkit."""

    state: State
    holes: tuple[tuple[int, ...], ...]  # by position; empty where they are unknown
    board: tuple[int, ...]


def to_pokerkit(state: State, deal: Deal) -> Any:
    """The state of pokerkit of a heads-up no-limit hold'em hand, all moves made and cards dealt."""
    import pokerkit

    game = state.game
    _require(game)
    kit = pokerkit.Automation
    automations = (
        *(kit.ANTE_POSTING, kit.BET_COLLECTION, kit.BLIND_OR_STRADDLE_POSTING, kit.CARD_BURNING),
        *(kit.HOLE_CARDS_SHOWING_OR_MUCKING, kit.HAND_KILLING, kit.CHIPS_PUSHING),
        kit.CHIPS_PULLING,
    )
    blinds = (min(game.blinds), max(game.blinds))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pokerkit warns of cards chosen by hand
        table = pokerkit.NoLimitTexasHoldem.create_state(
            automations, True, 0, blinds, game.big_blind, game.stacks, 2
        )
        for hole in deal.holes:
            table.deal_hole(format_cards(hole))
        for move in moves_of(state):
            _deal_board(table, deal)
            _move(table, move.state, move.action)
        _deal_board(table, deal)
    return table


def _deal_board(table: Any, deal: Deal) -> None:
    while table.status and table.can_deal_board():
        shown = len(list(table.get_board_cards(0)))
        table.deal_board(format_cards(deal.board[shown : shown + (3 if shown == 0 else 1)]))


def _move(table: Any, state: State, action: int) -> None:
    if action == FOLD:
        table.fold()
    elif action == CALL:
        table.check_or_call()
    else:
        table.complete_bet_or_raise_to(street_amount(state, action))


def from_pokerkit(table: Any, game: GameDef | None = None) -> KitHand:
    """The hand of a heads-up no-limit hold'em state of pokerkit.

    Blinds and stacks are those of the table unless the rules are given.
    """
    import pokerkit

    rules = game or rules_of_table(table)
    state = start(rules)
    for operation in table.operations:
        if isinstance(operation, pokerkit.Folding):
            state = state.apply(FOLD)
        elif isinstance(operation, pokerkit.CheckingOrCalling):
            state = state.apply(CALL)
        elif isinstance(operation, pokerkit.CompletionBettingOrRaisingTo):
            state = state.apply(from_street_amount(state, int(operation.amount)))
    holes: list[list[Any]] = [[], []]
    for operation in table.operations:
        if isinstance(operation, pokerkit.HoleDealing):
            holes[operation.player_index] += operation.cards
    board = [card for dealt in table.board_cards for card in dealt]
    return KitHand(state, tuple(map(_cards, holes)), _cards(board))


def rules_of_table(table: Any) -> GameDef:
    """No-limit hold'em with a table's blinds and stacks."""
    if table.player_count != 2 or any(table.antes):
        raise RulesError("only heads-up tables without antes are read")
    blinds = tuple(int(chips) for chips in table.blinds_or_straddles)
    stacks = tuple(int(chips) for chips in table.starting_stacks)
    big_first = (max(blinds), min(blinds))
    return replace(load_rules("nolimit-holdem"), blinds=big_first, stacks=stacks)


def _cards(cards: list[Any]) -> tuple[int, ...]:
    texts = [repr(card) for card in cards]
    if any("?" in text for text in texts):
        return ()
    return tuple(int(card) for card in parse_cards("".join(texts)))


def _require(game: GameDef) -> None:
    if game.num_players != 2 or not game.no_limit or len(game.deck) != 52:
        raise RulesError(f"{game.name} is not heads-up no-limit hold'em")
