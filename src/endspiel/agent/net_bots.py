"""Neural networks as bots: from features of all hands to probabilities of actions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.bots import PublicState
from endspiel.errors import EndspielError, FileError

Floats = NDArray[Any]
Model = Callable[[Floats], Floats]  # features [K, F] to scores [K, A]


class NetBot:
    """A bot that plays by a network's scores: their softmax over the actions that are legal.

    ``features(state, hands)`` makes the network's input [K, F]. The network has one score for each
    of ``actions(state)``; an action of None, or one that is not legal, is never played.

    Examples:
        >>> import endspiel as es, numpy as np
        >>> rules = es.load_rules("leduc")
        >>> bot = es.NetBot(
        ...     lambda x: np.array([[0.0, 9.0, 9.0]] * len(x)),
        ...     features=lambda state, hands: np.ones((len(hands), 1)),
        ...     actions=lambda state: (es.FOLD, es.CALL, state.raise_to(1.0)),
        ... )
        >>> agent = es.BotAgent(bot, rules)
        >>> agent.policy(es.start_state(rules), [(0,)], ()).probabilities.round(3)
        array([[0.5, 0.5]])
    """

    def __init__(
        self,
        model: Model,
        features: Callable[[PublicState, NDArray[np.int64]], Floats],
        actions: Callable[[PublicState], Sequence[int | None]],
    ) -> None:
        self.model = model
        self.features = features
        self.all_actions = actions

    def policy(self, state: PublicState, hands: NDArray[np.int64]) -> dict[int, Floats]:
        """Probabilities by action."""
        named = list(self.all_actions(state))
        scores = np.asarray(self.model(self.features(state, hands)), np.float64)
        if scores.shape != (len(hands), len(named)):
            raise EndspielError(
                f"the network gives scores of shape {scores.shape}, not {(len(hands), len(named))}"
            )
        places: dict[int, list[int]] = {}
        for at, action in enumerate(named):
            if action is not None and state.table.can(action):
                places.setdefault(action, []).append(at)  # two sizes may be one when short
        if not places:
            raise EndspielError(f"the network has no legal action after {state.line!r}")
        legal = [at for group in places.values() for at in group]
        shares = np.zeros_like(scores)
        shares[:, legal] = np.exp(scores[:, legal] - scores[:, legal].max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        return {action: shares[:, group].sum(axis=1) for action, group in places.items()}


def torch_model(module: Any) -> Model:
    """A PyTorch module as a model: evaluated in single precision, without gradients.

    Examples:
        >>> import endspiel as es
        >>> model = es.torch_model(lambda x: 2 * x)  # doctest: +SKIP
    """
    try:
        import torch
    except ImportError as error:
        raise EndspielError("PyTorch is not installed: pip install torch") from error
    if hasattr(module, "eval"):
        module.eval()

    def run(features: Floats) -> Floats:
        with torch.no_grad():
            given = torch.as_tensor(np.ascontiguousarray(features, np.float32))
            found: Floats = module(given).detach().cpu().numpy()
        return found

    return run


def onnx_model(path: str | Path) -> Model:
    """The model of an ONNX file with one input and one output, run by ONNX Runtime.

    Examples:
        >>> import endspiel as es
        >>> model = es.onnx_model("bot.onnx")  # doctest: +SKIP
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise EndspielError("ONNX Runtime is not installed: pip install onnxruntime") from error
    if not Path(path).is_file():
        raise FileError(f"there is no file {path}")
    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime has exceptions of its own
        raise FileError(f"{path} is no ONNX model: {error}") from error
    inputs = session.get_inputs()
    if len(inputs) != 1:
        raise FileError(f"{path} has {len(inputs)} inputs: a bot's network has one")

    def run(features: Floats) -> Floats:
        given = {inputs[0].name: np.ascontiguousarray(features, np.float32)}
        found: Floats = session.run(None, given)[0]
        return found

    return run
