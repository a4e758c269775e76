"""The error of this layer."""

from endspiel.errors import EndspielError


class AbstractionError(EndspielError):
    """An abstraction that cannot be made as asked, or a lookup that it cannot answer."""
