"""Builders: from rules, trees and files to `Game`.

Examples:
    >>> import endspiel as es
    >>> es.games.leduc().name, es.games.kuhn().name
    ('leduc', 'kuhn')
"""

from endspiel.games.efg import load_efg
from endspiel.games.leduc import leduc
from endspiel.games.openspiel import from_openspiel
from endspiel.games.push_fold import push_fold
from endspiel.games.registry import load_game
from endspiel.games.rhode_island import rhode_island
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
