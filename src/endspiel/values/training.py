"""Teaching a net by Adam on the Huber loss, in NumPy; seeded, and gone on with after a stop.

All of it is NumPy's functions on whatever arrays it is given: with CuPy's, it runs on a GPU.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from endspiel.values.nets import NetLayer, NetRows, ValueNet, zero_sum

Float32s = NDArray[np.float32]
FIRST, SECOND, FLOOR = 0.9, 0.999, 1e-8  # Adam's constants
HUBER: Final = 0.5  # pots: errors above it count by their size, below by its square
Batch = Callable[[np.random.Generator], tuple[NetRows, Float32s]]


class Lesson(NamedTuple):
    """How a net is taught."""

    steps: int
    rate: float = 1e-3  # of the first step; it falls to a hundredth along half a cosine
    seed: int = 1

    def at(self, step: int) -> float:
        """The rate of a step."""
        low = 0.01 * self.rate
        return low + (self.rate - low) * 0.5 * float(1 + np.cos(np.pi * step / self.steps))


@dataclass
class Pupil:
    """A net while it is taught."""

    net: ValueNet
    step: int = 0
    first: list[Float32s] = field(default_factory=list)  # Adam's moments, array by array
    second: list[Float32s] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.first:
            arrays = [part for layer in self.net.layers for part in layer]
            self.first, self.second = ([np.zeros_like(a) for a in arrays] for _ in range(2))

    def learn(self, rows: NetRows, targets: Float32s, rate: float) -> float:
        """One step; the loss before it."""
        loss, gradients = loss_and_gradients(self.net, rows, targets)
        self.step += 1
        scale = rate * sqrt(1 - SECOND**self.step) / (1 - FIRST**self.step)
        arrays = [part for layer in self.net.layers for part in layer]
        for array, slope, first, second in zip(
            arrays, gradients, self.first, self.second, strict=True
        ):
            first += (1 - FIRST) * (slope - first)
            second += (1 - SECOND) * (slope * slope - second)
            array -= scale * first / (np.sqrt(second) + FLOOR)
        return loss

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        found: dict[str, Any] = {"step": np.array([self.step])}
        arrays = [part for layer in self.net.layers for part in layer]
        for name, group in (("net", arrays), ("first", self.first), ("second", self.second)):
            found.update({f"{name}{i}": in_numpy(array) for i, array in enumerate(group)})
        return found

    def moved(self, arrays: Any) -> "Pupil":
        """Convert to another library's arrays: NumPy's or CuPy's."""
        layers = tuple(NetLayer(*(arrays.asarray(part) for part in one)) for one in self.net.layers)
        first, second = ([arrays.asarray(a) for a in group] for group in (self.first, self.second))
        return Pupil(ValueNet(layers, self.net.cards), self.step, first, second)

    @classmethod
    def restored(cls, arrays: dict[str, Any], cards: int) -> "Pupil":
        """Go on from a state."""
        count = sum(name.startswith("net") for name in arrays)
        net, first, second = (
            [np.array(arrays[f"{name}{i}"]) for i in range(count)]
            for name in ("net", "first", "second")
        )
        layers = tuple(NetLayer(net[i], net[i + 1]) for i in range(0, count, 2))
        return cls(ValueNet(layers, cards), int(arrays["step"][0]), first, second)


def in_numpy(array: Any) -> NDArray[Any]:
    """An array of either library as NumPy's."""
    found: NDArray[Any] = array if isinstance(array, np.ndarray) else array.get()
    return found


def teach(pupil: Pupil, lesson: Lesson, batch: Batch, told: Callable[[Pupil, float], None]) -> None:
    """All steps that are left; each draws its batch by its own seed."""
    while pupil.step < lesson.steps:
        rows, targets = batch(np.random.default_rng([lesson.seed, pupil.step]))
        told(pupil, pupil.learn(rows, targets, lesson.at(pupil.step)))


def huber(errors: Float32s) -> Float32s:
    """The Huber loss of errors, one by one."""
    size = np.abs(errors)
    found: Float32s = np.where(size <= HUBER, 0.5 * errors * errors, HUBER * (size - 0.5 * HUBER))
    return found


def mean_loss(net: ValueNet, rows: NetRows, targets: Float32s) -> float:
    """The Huber loss, buckets weighed as the rows say."""
    losses = huber(net.outputs(rows) - targets) * rows.weights
    return float(losses.sum() / rows.weights.sum())


def loss_and_gradients(
    net: ValueNet, rows: NetRows, targets: Float32s
) -> tuple[float, list[Float32s]]:
    """The loss, and its slope by every weight and bias."""
    passes = net.passes(rows)
    errors = zero_sum(passes[-1], rows) - targets
    total = float(rows.weights.sum())
    slope = np.clip(errors, -HUBER, HUBER) * rows.weights / total
    slope -= rows.pairs * (slope.sum(axis=1, keepdims=True) / 2)  # through the zero-sum layer
    found: list[Float32s] = []
    for number in range(len(net.layers) - 1, -1, -1):
        into = passes[number]
        found += [slope.sum(axis=0), into.T @ slope]
        if number:
            slope = (slope @ net.layers[number].weight.T) * (into > 0)
    return float((huber(errors) * rows.weights).sum() / total), found[::-1]
