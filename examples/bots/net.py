"""A bot of a small neural network: all hands at once, three bet sizes.

endspiel lbr examples/bots/net.py:Net --setting fcpa --boards 20

The weights here are random. A network of PyTorch or an ONNX file takes their place by
`es.torch_model(module)` or `es.onnx_model("bot.onnx")` as the model.
"""

import numpy as np

import endspiel as es

RNG = np.random.default_rng(1)
HIDDEN, ACTIONS = 32, 5
FIRST = RNG.normal(size=(4 + 2 * 52, HIDDEN)) / 8
SECOND = RNG.normal(size=(HIDDEN, ACTIONS)) / 8


def model(features: np.ndarray) -> np.ndarray:
    """Scores [hands, actions] of one hidden layer."""
    return np.maximum(features @ FIRST, 0) @ SECOND


def features(state: es.PublicState, hands: np.ndarray) -> np.ndarray:
    """Street, pot, price and seat, the hand's cards and the board's: [hands, 108]."""
    found = np.zeros((len(hands), 4 + 2 * 52))
    blind = state.game.big_blind
    found[:, :4] = state.table.round, state.pot / blind, state.to_call / blind, state.position
    np.put_along_axis(found, 4 + hands, 1, axis=1)
    found[:, [4 + 52 + card for card in state.board]] = 1
    return found


class Net(es.NetBot):
    """Folds, calls, bets half the pot, the pot, or all-in."""

    def __init__(self) -> None:
        super().__init__(model, features, self.sizes)

    @staticmethod
    def sizes(state: es.PublicState) -> list[int | None]:
        """The actions that the five scores stand for."""
        return [es.FOLD, es.CALL, *(state.raise_to(share) for share in (0.5, 1.0, 1e9))]
