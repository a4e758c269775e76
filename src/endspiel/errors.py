"""Errors a user can cause: one clear sentence each, exit status 2 on the command line."""

_BEGINNING, _END = 500, 200  # characters shown of a message that is too long


class EndspielError(Exception):
    """Base of every error that bad input can cause; the message names the thing and the place.

    A message may quote what it was given, whatever its length: what is too long loses its middle.

    Examples:
        >>> import endspiel as es
        >>> try:
        ...     es.parse_range("AKx")
        ... except es.EndspielError as error:
        ...     print(error)
        'AKx' at position 1 of the range 'AKx': a hand is written like AA, AKs, AKo, AK or AsKh
    """

    def __str__(self) -> str:
        text = super().__str__()
        if len(text) <= _BEGINNING + _END:
            return text
        return f"{text[:_BEGINNING]} ... {text[-_END:]}"


class CardError(EndspielError):
    """A card, hand or board that cannot be read or cannot exist."""


class RangeError(EndspielError):
    """A hand range that cannot be read, or that leaves no hand."""


class RulesError(EndspielError):
    """Game rules that cannot be read or make no game."""


class IllegalAction(EndspielError):  # noqa: N818  (a refusal, worded as the rules word it)
    """An action that the rules refuse; the message says why."""


class StateError(EndspielError):
    """A state or match record that cannot be read or contradicts the rules."""


class FileError(EndspielError):
    """A file that is missing, unreadable, damaged, or not of the kind expected."""


class GameError(EndspielError):
    """A game that is not well formed, or not of the kind an algorithm needs."""


class BettingError(EndspielError):
    """A bet menu that cannot be read, a line not in its tree, or a tree too large to build."""


class AgentError(EndspielError):
    """An agent that raises; the message names it, the hand and what it said."""


class Stopped(KeyboardInterrupt):
    """Ctrl-C or SIGTERM, with a message that says what is kept. Exit status 130 or 143."""
