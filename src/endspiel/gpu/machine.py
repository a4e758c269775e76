"""What runs op streams: the protocol that NumPy's and the GPU's machines obey."""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from endspiel.arrays import Floats
from endspiel.gpu.layout import BatchLayout


class Mode(IntEnum):
    """What a run of a stream is for."""

    LEARN = 0  # q's regrets are matched, p's updated
    BEST = 1  # p's best response to q's average
    EXPECTED = 2  # p's average against q's
    FORWARD = 3  # q's regrets are matched, and no more
    TRACE = 4  # as BEST; p's values and q's reaches take the place of regrets


class Pass(NamedTuple):
    """One player's half of an iteration, or one player's values."""

    player: int  # p
    mode: Mode
    positive: float = 1.0  # what stored regrets are multiplied by
    negative: float = 1.0
    weight: float = 0.0  # of q's reaches in its average


class Kind(IntEnum):
    """What is kept of every action, board and hand."""

    REGRET = 0
    AVERAGE = 1


class Machine(Protocol):
    """Runs the streams of one layout and owns what is kept. Rows are by place [W]."""

    layout: BatchLayout

    def run(self, one: Pass) -> Floats:
        """One pass over all streets; what each hand is worth where its game begins [G, W].

        In mode FORWARD there are no values.
        """

    def line_values(self, street: int) -> Floats:
        """What lines into a street were worth on each board [B, L, W] in the newest `run`."""

    def run_all(self, passes: Sequence[Pass]) -> None:
        """Many passes that learn, as fast as they go."""

    def set_root(self, player: int, game: int, weights: Floats) -> None:
        """Give a player other weights [W] where a game begins."""

    def kept(self, kind: Kind, street: int, player: int, board: int) -> Floats:
        """A copy of what is kept of a board [rows, W]."""

    def kept_boards(self, kind: Kind, street: int, boards: slice) -> Floats:
        """A copy of what is kept of some boards in a row, of both players [B, rows, W]."""

    def set_kept(self, kind: Kind, street: int, player: int, board: int, rows: Floats) -> None:
        """Keep something else of a board [rows, W]."""

    def lock(self, street: int, player: int, board: int, decision: int) -> None:
        """Let a decision never learn again."""

    def retire(self, game: int) -> None:
        """Leave a game alone from now on: it learns no more, and its values are any."""

    def scale_averages(self, player: int, by: float) -> None:
        """Multiply a player's averages."""

    def drop_averages(self) -> None:
        """Let current strategies, which regrets match, stand in for averages; none are added."""

    def measure_current(self, yes: bool) -> None:
        """Let values be those of current strategies, though averages are kept; or of averages."""

    def keep_fixed(self, scales: Sequence[float | None]) -> None:
        """Round a street's regrets, as they learn, to whole numbers of 1 / scale; None: floats."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that is kept, by name."""

    def restore(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Keep this instead."""

    def close(self) -> None:
        """Give memory back; nothing can be run any more."""
