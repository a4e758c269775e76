"""An endgame on real cards as a plain `Game`: dense payoffs, 64-bit floats, every board apart.

For linear programs, for methods the board kernels do not know, and as the truth that the board
kernels are tested against. Sequences of a board lie together: local sequence s of hand k is
``base + (s - lines) * K + k``.
"""

from dataclasses import dataclass, field

import numpy as np

from endspiel.betting.streets import last_sequences
from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.removal import conflicts
from endspiel.cards.strength import board_strengths
from endspiel.cards.text import format_cards, format_hand
from endspiel.errors import GameError
from endspiel.game import Game, Labels, Matrix, TerminalGroup, Treeplex, showdown_form
from endspiel.game.histories import Visits
from endspiel.games.card_game import CardGame
from endspiel.games.card_tree import FULL_BOARD, Board
from endspiel.kernels.arrays import Floats, Ints, PlexArrays


@dataclass(frozen=True)
class Spread:
    """Where each board's sequences lie in one player's treeplex."""

    base: list[list[int]]  # [street][board] sequence of the first local action and hand
    size: int


def spread(game: CardGame, player: int) -> Spread:
    """Number the sequences of all boards, street by street."""
    at = len(game.tree.streets[0][0].hands[player])
    base: list[list[int]] = []
    for street, boards in zip(game.streets, game.tree.streets, strict=True):
        rows = street.size[player] - len(street.starts)
        base.append([])
        for board in boards:
            base[-1].append(at)
            at += rows * len(board.hands[player])
    return Spread(base, at)


@dataclass
class _DenseSide:
    """One player's treeplex while it is laid out."""

    game: CardGame
    player: int
    where: Spread
    blocks: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    maps: list[Ints] = field(default_factory=list)
    map_size: int = 0

    def locate(self, street: int, b: int, seq: int) -> tuple[int, Ints]:
        """First sequence and the states' offsets from it, for a local sequence of a board.

        A line that no own action opened on this street is looked up on the board above.
        """
        plan, board = self.game.streets[street], self.game.tree.streets[street][b]
        hands = board.hands[self.player]
        lines = len(plan.starts)
        if seq >= lines:
            first = self.where.base[street][b] + (seq - lines) * len(hands)
            return first, np.arange(len(hands))
        if street == 0:
            return 0, np.arange(len(hands))
        above = self.game.streets[street - 1].out[seq][self.player]
        first, offsets = self.locate(street - 1, board.parent, above)
        place = np.full(NUM_HANDS, -1)
        held = self.game.tree.streets[street - 1][board.parent].hands[self.player]
        place[held] = offsets
        return first, place[hands]

    def add_map(self, offsets: Ints) -> int:
        start = self.map_size
        self.maps.append(offsets)
        self.map_size += len(offsets)
        return start

    def layout(self) -> Treeplex:
        game, player = self.game, self.player
        for s, (street, boards) in enumerate(zip(game.streets, game.tree.streets, strict=True)):
            for b, board in enumerate(boards):
                K = len(board.hands[player])
                if K == 0:
                    continue
                maps: dict[int, tuple[int, int]] = {}
                same = self.add_map(np.arange(K))
                for _, first, A, parent, lines in street.own(player):
                    if parent >= lines:
                        base, at = self.where.base[s][b] + (parent - lines) * K, same
                    else:
                        if parent not in maps:
                            base, offsets = self.locate(s, b, parent)
                            maps[parent] = base, self.add_map(offsets)
                        base, at = maps[parent]
                    start = self.where.base[s][b] + (first - lines) * K
                    self.blocks.append((start, K, A, base, at))
        columns = np.array(self.blocks, dtype=np.int64).reshape(-1, 5).T
        maps_array = np.concatenate([*self.maps, np.zeros(0, np.int64)]).astype(np.int64)
        starts, states, actions, bases, map_at = (np.ascontiguousarray(c) for c in columns)
        arrays = PlexArrays(starts, states, actions, bases, map_at, maps_array, states)
        root = game.tree.streets[0][0].hands[player]
        return Treeplex(game.tree.ranges[player][root], arrays)


@dataclass(frozen=True)
class SpotHistories:
    """The order of moves of an endgame on real cards, board by board and hand by hand."""

    game: CardGame
    sides: tuple[_DenseSide, _DenseSide]

    def visits(self, player: int) -> Visits:
        """The histories at which a player moves: every pair of hands that share no card."""
        game, found = self.game, []
        own_side, other_side = self.sides[player], self.sides[1 - player]
        for s, street in enumerate(game.streets):
            last = last_sequences(game.betting, street)
            for b, board in enumerate(game.tree.streets[s]):
                met = _fold_form(board)
                own, other = np.nonzero(met if player == 0 else met.T)
                chance = np.full(len(own), game.tree.chance[s] / game.pairs)
                for at in street.own(player):
                    start, _ = own_side.locate(s, b, at.first)
                    base, offsets = other_side.locate(s, b, last[at.node][1 - player])
                    found.append((start + own, base + offsets[other], chance))
        state, other, chance = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Visits(state, other, chance)

    def labels(self, player: int) -> Labels:
        """Infosets as hand, board and line, such as ``KsQs|Js9h2c4d:c b100``."""
        betting, infosets, actions = self.game.betting, [], []
        names = np.array([format_hand(cards) for cards in hand_cards().tolist()])
        for street, boards in zip(self.game.streets, self.game.tree.streets, strict=True):
            for board in boards:
                held, shown = names[board.hands[player]], format_cards(board.cards)
                for node in street.decisions[player] if len(held) else ():
                    line = betting.line(node)
                    infosets.append(tuple(f"{hand}|{shown}:{line}" for hand in held))
                    actions.append((tuple(betting.words(node)),) * len(held))
        return Labels(tuple(infosets), tuple(actions))


def dense_game(game: CardGame, name: str = "spot", named: bool = False) -> Game:
    """Return the endgame as a `Game`; payoffs are shares of the starting pot.

    Its infosets have names where they are asked for: endgames are cut out of it by them.
    """
    game.betting.check_zero_sum("the dense twin of a spot")
    if any(len(b.images) > 1 or b.weight > 1 for boards in game.tree.streets for b in boards):
        raise GameError("a dense game needs every board apart: build its cards without symmetry")
    sides = (
        _DenseSide(game, 0, spread(game, 0)),
        _DenseSide(game, 1, spread(game, 1)),
    )
    plexes = sides[0].layout(), sides[1].layout()
    groups = [
        group
        for s in range(len(game.streets))
        for b in range(len(game.tree.streets[s]))
        for group in _board_groups(game, sides, s, b)
    ]
    largest = (game.betting.pot / 2 + game.betting.stack) / (game.unit or game.betting.pot)
    nodes = SpotHistories(game, sides)
    labels = (nodes.labels(0), nodes.labels(1)) if named else None
    return Game(plexes, groups, name, labels, span=2 * largest, nodes=nodes)


def _board_groups(
    game: CardGame, sides: tuple[_DenseSide, _DenseSide], s: int, b: int
) -> list[TerminalGroup]:
    """Terminals of one board; those on lines from above pay in the states of the board above."""
    board, street = game.tree.streets[s][b], game.streets[s]
    if min(len(hands) for hands in board.hands) == 0:
        return []
    scale = game.tree.chance[s] / (game.unit or game.betting.pot) / game.pairs
    forms = _fold_form(board), _show_form(board)
    lines = len(street.starts)
    usual: tuple[list[tuple[float, int, int]], ...] = ([], [])
    groups = []
    for terminal in street.terminals:
        shown = terminal.folder < 0
        stake = terminal.gain(0) * scale
        first = [sides[p].locate(s, b, terminal.seqs[p]) for p in (0, 1)]
        if min(terminal.seqs) >= lines:
            usual[shown].append((stake, first[0][0], first[1][0]))
            continue
        groups.append(_wide_group(forms[shown], stake, first))
    for form, terminals in zip(forms, usual, strict=True):
        if terminals:
            stakes, seqs0, seqs1 = zip(*terminals, strict=True)
            payoff = Matrix(form)
            groups.append(TerminalGroup(payoff, np.array(stakes), np.array(seqs0), np.array(seqs1)))
    return groups


def _wide_group(form: Floats, stake: float, first: list[tuple[int, Ints]]) -> TerminalGroup:
    """A terminal on a line from above: its form spread over the states of the board above."""
    (seq0, at0), (seq1, at1) = first
    wide = np.zeros((at0.max() + 1, at1.max() + 1))
    wide[np.ix_(at0, at1)] = form
    return TerminalGroup(Matrix(wide), np.array([stake]), np.array([seq0]), np.array([seq1]))


def _fold_form(board: Board) -> Floats:
    """1 for each pair of hands that share no card: [K0, K1]."""
    return (~conflicts()[np.ix_(*board.hands)]).astype(np.float64)


def _show_form(board: Board) -> Floats:
    """1, 0 or -1 by whose hand is better, 0 for pairs that share a card: [K0, K1]."""
    if len(board.cards) < FULL_BOARD:
        return np.zeros((0, 0))
    strength = board_strengths(board.cards).astype(np.int64)
    s0, s1 = strength[board.hands[0]], strength[board.hands[1]]
    better: Floats = showdown_form(s0, s1, _fold_form(board))
    return better
