"""Strategies that scripts hold fixed: set_strategy, lock_node, unlock_node."""

import numpy as np

from endspiel.cards.deck import NUM_HANDS, hand_cards
from endspiel.cards.text import format_hand
from endspiel.errors import EndspielError
from endspiel.upi.answers import find_decision
from endspiel.upi.nodes import UpiNode
from endspiel.upi.session import Answer, SessionTree, UpiSession
from endspiel.upi.values import Floats


def set_strategy(session: UpiSession, words: list[str]) -> Answer:
    """Keep a strategy for lock_node: 1326 probabilities for each child, child after child."""
    tree = session.the_tree()
    tree.locking()
    node = find_decision(tree, words[0])
    actions = int(tree.betting.num_children[node.number])
    if len(words) - 1 != actions * NUM_HANDS:
        raise EndspielError(
            f"{len(words) - 1} probabilities are given; {node.name} has {actions} children of "
            f"{NUM_HANDS} hands each"
        )
    try:
        shares = np.array([float(word) for word in words[1:]]).reshape(actions, NUM_HANDS)
    except ValueError as error:
        raise EndspielError(f"a probability is no number: {error}") from error
    if not ((shares >= 0) & (shares <= 1)).all():
        raise EndspielError("a probability is not from 0 to 1")
    tree.fixed[node.name] = shares
    return None


def lock_node(session: UpiSession, words: list[str]) -> Answer:
    """Hold a node's strategy fixed: the one that was set, or else the one it has."""
    tree = session.the_tree()
    solve, node = tree.locking(), find_decision(tree, words[0])
    shares = tree.fixed.get(node.name)
    if shares is None:
        shares = tree.values.strategy(node)
    solve.lock(node.name, _lock_text(tree, node, shares))
    return None


def unlock_node(session: UpiSession, words: list[str]) -> Answer:
    """Let a node's strategy be solved again."""
    tree = session.the_tree()
    solve, node = tree.locking(), find_decision(tree, words[0])
    if node.name not in solve.locked:
        raise EndspielError(f"{node.name} is not locked")
    solve.lock(node.name, None)
    return None


def _lock_text(tree: SessionTree, node: UpiNode, shares: Floats) -> str:
    """A lock as `SpotOptions` reads it, hand by hand; shares [A, 1326] in the order of children."""
    view = tree.values.view(node)
    off = [hand for hand in view.hands if abs(shares[:, hand].sum() - 1) > 1e-3]
    if off:
        hand = format_hand(hand_cards()[off[0]].tolist())
        raise EndspielError(
            f"the probabilities of {hand} at {node.name} add up to {shares[:, off[0]].sum():.6g}"
        )
    items = [
        format_hand(hand_cards()[hand].tolist())
        + "".join(f" {word} {share:.9f}" for word, share in _played(view.actions, shares[:, hand]))
        for hand in view.hands
    ]
    return f"{node.line}: {', '.join(items)}"


def _played(actions: tuple[str, ...], shares: Floats) -> list[tuple[str, float]]:
    """Each action with its probability; children are listed in reverse order."""
    return list(zip(actions, shares[::-1].tolist(), strict=True))
