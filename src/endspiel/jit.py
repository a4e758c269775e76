"""Compiled functions for which Numba is loaded at the first call, not with their module.

Numba takes a third of a second to load, and most commands call few compiled functions or none.
"""

from collections.abc import Callable, Iterator
from functools import update_wrapper
from threading import RLock
from types import CodeType, ModuleType
from typing import Any, TypeVar

T = TypeVar("T")
_LOADING = RLock()


class Kernel:
    """A function that becomes a Numba dispatcher when it is first called."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.py_func = function
        self._options = options
        self._compiled: Any = None
        update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        return (self._compiled or self.compiled())(*args)

    def __reduce__(self) -> str:
        return self.py_func.__qualname__  # pickled by name, as plain functions are

    def compiled(self) -> Any:
        """The dispatcher, which other compiled functions can call."""
        with _LOADING:
            if self._compiled is None:
                import numba

                _link(self.py_func)
                self._compiled = numba.njit(**self._options)(self.py_func)
        return self._compiled


def njit(**options: Any) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorate like `numba.njit`; Numba is loaded at the first call."""
    return lambda function: Kernel(function, options)


def _link(function: Any) -> None:
    """Put dispatchers in the place of the kernels that a function names: Numba knows no others."""
    names, space = set(_names(function.__code__)), function.__globals__
    for name in names & space.keys():
        found = space[name]
        if isinstance(found, Kernel):
            space[name] = found.compiled()
        elif isinstance(found, ModuleType):
            for attribute in names & vars(found).keys():
                kernel = getattr(found, attribute)
                if isinstance(kernel, Kernel):
                    setattr(found, attribute, kernel.compiled())


def _names(code: CodeType) -> Iterator[str]:
    """Names that code, and what is defined inside of it, looks up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
