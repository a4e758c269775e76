"""Agents: each gets the seed of a hand and answers with its actions; and agents by name.

All randomness of a hand comes from the seed given at its start, and nothing but the seed and what
the agent sees may decide an action. A hand is then the same in every process, on every core,
before or after an interruption.
"""

import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from endspiel.agent.solves import Solves
from endspiel.agent.thoughts import Thought
from endspiel.errors import AgentError, EndspielError, RulesError
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State

_MASK: Final = 2**64 - 1
_FACTOR: Final = 6364136223846793005  # Knuth's multiplier for 64 bits
_STEP: Final = 1442695040888963407


class Draws:
    """The random numbers of one hand; a seed costs nothing until a number is drawn."""

    __slots__ = ("_word",)

    def __init__(self, seed: int) -> None:
        self._word = seed & _MASK

    def _next(self) -> int:
        self._word = word = (self._word * _FACTOR + _STEP) & _MASK
        return word

    def below(self, count: int) -> int:
        """A whole number from 0 to count - 1; count is less than 2**32."""
        return (self._next() >> 32) * count >> 32

    def uniform(self) -> float:
        """A number from 0 up to 1, 1 left out."""
        return (self._next() >> 11) * 2.0**-53

    def choose(self, probabilities: Sequence[float]) -> int:
        """A place in a list of probabilities, each as often as it says."""
        left = self.uniform()
        for at, probability in enumerate(probabilities):
            left -= probability
            if left < 0:
                return at
        return max(at for at, probability in enumerate(probabilities) if probability > 0)


class Choice(NamedTuple):
    """How an agent plays all its private hands at one public point.

    Examples:
        >>> import endspiel as es
        >>> from endspiel.rules.state import start
        >>> rules = es.load_rules("nolimit-holdem")
        >>> agent = es.make_agent("blueprint", rules)
        >>> choice = agent.policy(start(rules), [tuple(es.parse_cards("AsAh"))], ())
        >>> choice.actions, choice.probabilities.shape
        ((-1, 0, 300, 500, 20000), (1, 5))
    """

    actions: tuple[int, ...]  # [A]
    probabilities: NDArray[np.float64]  # [K, A] each row adds up to 1

    def chances(self, action: int) -> NDArray[np.float64]:
        """How often each hand takes an action: [K], 0 for all where it is none of them."""
        if action not in self.actions:
            return np.zeros(len(self.probabilities))
        return self.probabilities[:, self.actions.index(action)]


class Agent(ABC):
    """A player of one game.

    Examples:
        >>> import endspiel as es
        >>> from endspiel.rules.state import CALL
        >>> class Caller(es.Agent):
        ...     def act(self, state, hole, board):
        ...         return CALL
        ...
        >>> es.register_agent("caller", lambda rules, options: Caller())
        >>> es.play_match("caller", "always-call", hands=10, workers=1).main.units
        5
    """

    watches = False  # whether ``watch`` must be called
    learns = False  # whether it may later tell of a hand otherwise than it played it
    solves_from: int | None = None  # the first round on which it solves what it plays, if any
    seeded = True  # whether the same seeds give the same play
    fallbacks: Mapping[str, int] = MappingProxyType({})  # decisions not made as the spec says: why
    solves: Solves | None = None  # its solved decisions; None for an agent that solves nothing
    draws = Draws(0)

    def begin(self, seed: int) -> None:
        """A new hand: forget the last one, and draw only from this seed."""
        self.draws = Draws(seed)

    @abstractmethod
    def act(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        """The action of ``state.actor``, who holds the hole cards and sees the board so far."""

    def watch(self, line: str) -> None:  # noqa: B027  (most agents have no use for it)
        """Be shown a ``MATCHSTATE`` line: one comes after every action, one ends the hand."""

    def policy(
        self,
        state: State,
        holes: Sequence[tuple[int, ...]],  # [K]
        board: tuple[int, ...],
    ) -> Choice | None:
        """How all these hands would be played here, or None for an agent that cannot tell."""
        return None

    def hurried(self, share: float) -> AbstractContextManager[None]:
        """Within it answers may be rougher, for a share of the work; rough ones are forgotten.

        An agent may hurry on some streets only: what it solves on others is solved in full, and
        remembered.
        """
        return nullcontext()

    @property
    def thoughts(self) -> Sequence[Thought]:
        """Why each action of this hand was taken, for agents that can tell."""
        return ()

    def close(self) -> None:  # noqa: B027  (most agents hold nothing)
        """Give back what the agent holds: files, processes, connections."""


def failure(name: str, when: str, error: Exception) -> Exception:
    """The error to raise for one that an agent raised: it names the agent and the time."""
    if isinstance(error, MemoryError | AgentError):
        return error
    kind = "" if isinstance(error, EndspielError) else f"{type(error).__name__}: "
    return AgentError(f"agent {name} failed {when}: {kind}{error}")


class AgentOption(NamedTuple):
    """One option of a spec, as `endspiel agents` shows it."""

    values: str  # what may be written
    default: str  # empty where the option is off by default
    help: str


class AgentForm(NamedTuple):
    """One way to name an agent, with the options that its factory reads.

    A module of factories lists its forms by a function ``forms``.

    Examples:
        >>> import endspiel as es
        >>> simple = es.agent_forms()[0]
        >>> simple.spec, len(simple.options)
        ('random', 0)
    """

    agent: str  # the registered name
    spec: str
    help: str
    options: Mapping[str, AgentOption] = MappingProxyType({})
    mark: str = ""  # what stands before the first option


Factory = Callable[[GameDef, str], Agent]
_FACTORIES: Final[dict[str, Factory | str]] = {}


def register(name: str, factory: Factory | str) -> None:
    """Make an agent known by name; a factory named ``module:function`` is imported when needed.

    A factory gets the game and what follows the name in a spec: ``fast`` in ``blueprint+fast``.

    Examples:
        >>> import endspiel as es
        >>> from endspiel.agent.simple import always_call
        >>> es.register_agent("station", always_call)
        >>> "station" in es.agent_names()
        True
    """
    _FACTORIES[name] = factory


def agent_names() -> tuple[str, ...]:
    """The names that ``make_agent`` knows.

    Examples:
        >>> import endspiel as es
        >>> "blueprint" in es.agent_names()
        True
    """
    return tuple(_FACTORIES)


def agent_forms() -> tuple[AgentForm, ...]:
    """Return every way to name an agent; agents of other modules have their name alone.

    Examples:
        >>> import endspiel as es
        >>> nested = next(form for form in es.agent_forms() if form.spec == "blueprint+nested")
        >>> nested.options["street"].values
        'turn, river'
    """
    found: list[AgentForm] = []
    for name in _FACTORIES:
        module = sys.modules.get(getattr(_factory(name), "__module__", None) or "")
        listed: Sequence[AgentForm] = getattr(module, "forms", tuple)()
        own = [form for form in listed if form.agent == name]
        found += own or [AgentForm(name, name, "An agent of another module.")]
    return tuple(found)


def named_files(spec: str) -> list[Path]:
    """The files that a spec names, as in ``blueprint:FILE``.

    Examples:
        >>> named_files("blueprint:post=purify")
        []
    """
    named = [path for path in map(Path, re.split("[:,=]", spec)[1:]) if path.is_file()]
    module, mark, _ = spec.partition(":")
    if mark and not any(spec.startswith(name) for name in _FACTORIES):
        source = _source(module)
        named += [] if source is None else [source]
    return named


def _source(module: str) -> Path | None:
    """The file of a module named by its path, or by its name in the current folder."""
    path = Path(module) if module.endswith(".py") else Path(*module.split(".")).with_suffix(".py")
    return path if path.is_file() else None


def make_agent(spec: str, game: GameDef) -> Agent:
    """The agent of a spec: ``NAME``, ``NAME+OPTIONS``, ``NAME:OPTIONS`` or ``MODULE:NAME``.

    Names may hold a plus themselves; the longest that fits is meant. ``MODULE:NAME`` is a class or
    function in a module, or in a file (``my_bot.py:MyBot``): one that makes an `Agent` of the rules
    and a text, or a bot's class (`endspiel.agent.bots`).

    Examples:
        >>> import endspiel as es
        >>> from endspiel.rules.state import start
        >>> rules = es.load_rules("nolimit-holdem")
        >>> agent = es.make_agent("blueprint:post=purify", rules)
        >>> agent.begin(seed=1)
        >>> aces = tuple(es.parse_cards("AsAh"))
        >>> agent.act(start(rules), aces, ()) > 0  # a raise to this many chips
        True
    """
    if spec in _FACTORIES:
        return _factory(spec)(game, "")
    for name in sorted(_FACTORIES, key=len, reverse=True):  # "blueprint+x:y" is not "blueprint"'s
        mark, options = spec[len(name) : len(name) + 1], spec[len(name) + 1 :]
        if spec.startswith(name) and mark in ("+", ":") and options:
            return _factory(name)(game, options)
    module, _, name = spec.partition(":")
    is_module = module.endswith(".py") or all(part.isidentifier() for part in module.split("."))
    if name.isidentifier() and is_module:
        return _foreign(spec, game)
    raise RulesError(f"no agent {spec!r}: there are {', '.join(agent_names())}, and MODULE:NAME")


def _foreign(path: str, game: GameDef) -> Agent:
    """The agent of a class or function in another module."""
    from endspiel.agent.bots import is_bot, make_bot

    factory = _imported(path)
    if is_bot(factory):
        return make_bot(factory, game, path)
    try:
        agent = factory(game, "")
    except Exception as error:
        kind = type(error).__name__
        raise AgentError(f"{path} makes no agent of a game and a text: {kind}: {error}") from error
    if not isinstance(agent, Agent):
        raise EndspielError(f"{path} makes a {type(agent).__name__}, not an agent")
    return agent


def _factory(name: str) -> Factory:
    """The factory of a known name, imported if that was put off."""
    factory = _FACTORIES[name]
    if isinstance(factory, str):
        factory = _FACTORIES[name] = _imported(factory)
    return factory


def _imported(path: str) -> Factory:
    """A factory from its module, which may be a file or lie in the current folder."""
    module, _, name = path.partition(":")
    try:
        return cast(Factory, getattr(_module(module), name))
    except Exception as error:  # somebody else's module may raise anything
        plain = isinstance(error, ImportError | AttributeError)
        kind = "" if plain else f"{type(error).__name__}: "
        raise EndspielError(f"cannot load agent {path}: {kind}{error}") from error


def _module(name: str) -> ModuleType:
    """A module by its name, also one of the current folder, or by the path of its file."""
    source = _source(name)
    folder = str(source.resolve().parent if source and name.endswith(".py") else Path.cwd())
    if source is not None and folder not in sys.path:
        sys.path.append(folder)  # it may import what lies beside it
    if not name.endswith(".py"):
        return import_module(name)
    if source is None:
        raise ImportError(f"there is no file {name}")
    spec = spec_from_file_location(source.stem, source)
    if spec is None or spec.loader is None:
        raise ImportError(f"{name} is no Python file")
    module = module_from_spec(spec)
    sys.modules.setdefault(source.stem, module)  # where dataclasses look their module up
    spec.loader.exec_module(module)
    return module
