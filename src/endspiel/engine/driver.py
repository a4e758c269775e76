"""The driver: iterations of a scheme over a backend, counted."""

from typing import Any, Generic, TypeVar

import numpy as np

from endspiel.engine.backend import Backend, Iterated, average_value, exploitability
from endspiel.engine.schemes import Scheme

B_co = TypeVar("B_co", bound=Iterated, covariant=True)


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

    def step(self) -> None:
        """One iteration."""
        self.advance(1)

    def advance(self, steps: int) -> None:
        """This many iterations; many at once save the way into the kernels."""
        at, longest, first = self.scheme.at, self.backend.longest_average, self.iteration + 1
        schedule = [at(t, longest) for t in range(first, first + steps)]
        self.backend.iterate(schedule, self.scheme.alternating)
        self.iteration += steps

    def exploitability(self: "Driver[Backend]") -> float:
        """The mean of both players' best-response gains, in the game's units."""
        return exploitability(self.backend)

    def value(self: "Driver[Backend]") -> float:
        """Player 0's payoff when both follow the average."""
        return average_value(self.backend)

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays."""
        return {"iteration": np.array([self.iteration]), **self.backend.state()}

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"][0])
        self.backend.restore(arrays)
