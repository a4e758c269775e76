"""Builders: from rules, trees and files to `Game`.

Examples:
    >>> import endspiel as es
    >>> es.games.leduc().name, es.games.kuhn().name
    ('leduc', 'kuhn')

Names are loaded when first used: a spot on real cards needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from endspiel.games.efg import load_efg
    from endspiel.games.leduc_holdem import leduc
    from endspiel.games.openspiel import from_openspiel
    from endspiel.games.push_or_fold import push_fold
    from endspiel.games.registry import load_game
    from endspiel.games.rhode_island_holdem import rhode_island
    from endspiel.games.toy import (
        choose_endgame,
        clairvoyance,
        coin_toss,
        guess_the_ace,
        kuhn,
        rock_paper_scissors,
    )
    from endspiel.games.tree import Chance, Decision, Leaf, build

__all__ = [
    "Chance",
    "Decision",
    "Leaf",
    "build",
    "choose_endgame",
    "clairvoyance",
    "coin_toss",
    "from_openspiel",
    "guess_the_ace",
    "kuhn",
    "leduc",
    "load_efg",
    "load_game",
    "push_fold",
    "rhode_island",
    "rock_paper_scissors",
]

_MODULES = {
    "efg": "load_efg",
    "leduc_holdem": "leduc",
    "openspiel": "from_openspiel",
    "push_or_fold": "push_fold",
    "registry": "load_game",
    "rhode_island_holdem": "rhode_island",
    "toy": "choose_endgame clairvoyance coin_toss guess_the_ace kuhn rock_paper_scissors",
    "tree": "Chance Decision Leaf build",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


if not TYPE_CHECKING:  # type checkers see every name, and no other

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'endspiel.games' has no attribute {name!r}")
        return getattr(import_module(f"endspiel.games.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
