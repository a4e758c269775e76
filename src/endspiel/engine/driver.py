"""The driver: iterations of a scheme over a backend, counted."""

from typing import Any, Generic, TypeVar

import numpy as np

from endspiel.engine.backend import Backend, Iterated, Scheduled, average_value, exploitability
from endspiel.engine.schemes import Scheme
from endspiel.kernels.arrays import Discounts

B_co = TypeVar("B_co", bound=Scheduled, covariant=True)


class Driver(Generic[B_co]):
    """A running solve: a backend, the scheme that it learns by, and its iterations so far.

    Examples:
        >>> import endspiel as es
        >>> backend = es.make_backend(es.games.leduc())
        >>> solve = es.Driver(backend, es.SCHEMES["cfr+"])
        >>> solve.advance(300)
        >>> solve.iteration, solve.exploitability() < 0.02, round(solve.value(), 1)
        (300, True, -0.1)
    """

    def __init__(self, backend: B_co, scheme: Scheme) -> None:
        backend.accept(scheme)
        self.backend, self.scheme = backend, scheme
        self.iteration = 0

    def schedule(self, steps: int) -> list[Discounts]:
        """What the next iterations do to the sums before them."""
        at, longest, first = self.scheme.at, self.backend.longest_average, self.iteration + 1
        return [at(t, longest) for t in range(first, first + steps)]

    def step(self: "Driver[Iterated]") -> None:
        """One iteration."""
        self.advance(1)

    def advance(self: "Driver[Iterated]", steps: int) -> None:
        """This many iterations; many at once save the way into the kernels."""
        self.backend.iterate(self.schedule(steps), self.scheme.alternating)
        self.iteration += steps

    def exploitability(self: "Driver[Backend]") -> float:
        """The mean of both players' best-response gains, in the game's units."""
        return exploitability(self.backend)

    def value(self: "Driver[Backend]") -> float:
        """Player 0's payoff when both follow the average."""
        return average_value(self.backend)

    def state(self: "Driver[Iterated]") -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        return {"iteration": np.array([self.iteration]), **self.backend.state()}

    def restore(self: "Driver[Iterated]", arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"][0])
        self.backend.restore(arrays)
