"""Small games from the papers, by their rules: Kuhn, Coin Toss, Rock-Paper-Scissors and others."""

from collections.abc import Sequence

from endspiel.errors import GameError
from endspiel.game import Game
from endspiel.games.tree import Chance, Decision, Leaf, Node, build, check_histories


def kuhn(cards: int = 3) -> Game:
    """Kuhn poker with any number of cards: ante 1, one bet of 1."""
    if cards < 2:
        raise GameError(f"Kuhn poker needs at least two cards, not {cards}")
    check_histories(f"Kuhn poker with {cards:,} cards", 1 + 9 * cards * (cards - 1))

    def expand(state: tuple[int, int, str] | None) -> Node:
        if state is None:
            deals = [(i, j) for i in range(cards) for j in range(cards) if i != j]
            return Chance([(1 / len(deals), (i, j, "")) for i, j in deals])
        card0, card1, line = state
        sign = 1 if card0 > card1 else -1
        if line in ("pp", "bb", "pbb"):
            return Leaf(sign * (1 if line == "pp" else 2))
        if line in ("bp", "pbp"):
            return Leaf(1 if line == "bp" else -1)
        player = len(line) % 2
        actions = [(action, (card0, card1, line + action)) for action in "pb"]
        return Decision(player, f"{state[player]}{line}", actions)

    return build(None, expand, "kuhn", unit=1.0)


def coin_toss(left: float = 0.5, forfeit: bool = True) -> Game:
    """Coin Toss of the 2017 paper (Figure 1): only player 0 sees the coin.

    Left (to sell the coin) is worth `left` on Heads and `-left` on Tails. After Right, player 1
    guesses the coin (-1 to player 0 when right, +1 when wrong) or forfeits (+1 to player 0).
    """

    def expand(state: tuple[str, ...]) -> Node:
        if not state:
            return Chance([(0.5, ("Heads",)), (0.5, ("Tails",))])
        coin = state[0]
        if len(state) == 1:
            return Decision(0, coin, [("Left", (coin, "Left")), ("Right", (coin, "Right"))])
        if state[1] == "Left":
            return Leaf(left if coin == "Heads" else -left)
        if len(state) == 2:
            guesses = ["Heads", "Tails", "Forfeit"] if forfeit else ["Heads", "Tails"]
            return Decision(1, "Right", [(guess, (*state, guess)) for guess in guesses])
        return Leaf(-1 if state[2] == coin else 1)

    return build((), expand, "coin-toss")


def rock_paper_scissors() -> Game:
    """Rock-Paper-Scissors one after the other, the second player not seeing the first's move."""
    moves = ["Rock", "Paper", "Scissors"]

    def expand(state: tuple[int, ...]) -> Node:
        if len(state) == 2:
            return Leaf((0, 1, -1)[(state[0] - state[1]) % 3])
        return Decision(len(state), "", [(move, (*state, i)) for i, move in enumerate(moves)])

    return build((), expand, "rps")


def choose_endgame(endgames: Sequence[Sequence[Sequence[float]]]) -> Game:
    """The endgame paper's Figure 2: player 0 picks, in public, which endgame both then play.

    Each endgame is a matrix [m, n] of payoffs to player 0: both move without seeing the other.
    """
    if not endgames:
        raise GameError("there must be an endgame to choose")
    for i, matrix in enumerate(endgames):
        widths = {len(row) for row in matrix}
        if len(widths) != 1 or widths == {0}:
            raise GameError(f"endgame {i + 1} must be a matrix: rows of one length, not empty")

    def expand(state: tuple[int, ...]) -> Node:
        if not state:
            return Decision(0, "", [(f"G{i + 1}", (i,)) for i in range(len(endgames))])
        matrix = endgames[state[0]]
        if len(state) == 3:
            return Leaf(matrix[state[1]][state[2]])
        player = len(state) - 1
        width = len(matrix) if player == 0 else len(matrix[0])
        actions = [(str(i), (*state, i)) for i in range(width)]
        return Decision(player, f"G{state[0] + 1}", actions)

    return build((), expand, "choose-endgame")


def clairvoyance(bet: float = 1.0, pot: float = 1.0) -> Game:
    """The half-street clairvoyance game of the 2012 paper: player 0 knows who has the better hand.

    Player 0 holds a winner or a loser, half each, and checks or bets; player 1 calls or folds.
    Payoffs count from the pot's halves, so the game is zero-sum.
    """
    if not (bet > 0 and pot > 0):
        raise GameError(f"pot and bet must be positive, not {pot} and {bet}")

    def expand(state: tuple[str, ...]) -> Node:
        if not state:
            return Chance([(0.5, ("win",)), (0.5, ("lose",))])
        sign = 1 if state[0] == "win" else -1
        match state[1:]:
            case ():
                return Decision(0, state[0], [("check", (*state, "k")), ("bet", (*state, "b"))])
            case ("k",):
                return Leaf(sign * pot / 2)
            case ("b",):
                return Decision(1, "b", [("fold", (*state, "f")), ("call", (*state, "c"))])
            case (_, "f"):
                return Leaf(pot / 2)
            case _:
                return Leaf(sign * (pot / 2 + bet))

    return build((), expand, "clairvoyance")


def guess_the_ace(cards: int = 52) -> Game:
    """Guess-the-Ace (Miltersen and Sorensen): the top card is an ace or not, player 1 may guess.

    Player 0 decides whether to play at all (0) or to offer player 1 a guess; player 1 then says
    whether the top card of the deck is the ace of spades, and wins 1000 when right.
    """
    if cards < 2:
        raise GameError(f"a deck to guess from needs two cards, not {cards}")

    def expand(state: tuple[str, ...]) -> Node:
        match state:
            case ():
                return Decision(0, "", [("quit", ("quit",)), ("play", ("play",))])
            case ("quit",):
                return Leaf(0)
            case ("play",):
                return Chance([(1 / cards, ("play", "ace")), (1 - 1 / cards, ("play", "other"))])
            case ("play", _):
                return Decision(
                    1, "guess", [(guess, (*state, guess)) for guess in ("ace", "other")]
                )
            case (_, card, guess):
                return Leaf(-1000 if card == guess else 0)
        raise AssertionError(state)

    return build((), expand, "guess-the-ace")
