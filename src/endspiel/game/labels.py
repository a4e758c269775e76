"""Names of a game's decision points, for people and files; no solver reads them."""

from collections.abc import Iterator
from dataclasses import dataclass

from endspiel.game.treeplex import Treeplex


@dataclass(frozen=True)
class Labels:
    """One player's infoset and action names, block by block."""

    infosets: tuple[tuple[str, ...], ...]  # [B][K]
    actions: tuple[tuple[tuple[str, ...], ...], ...]  # [B][K][A]

    def walk(self, plex: Treeplex) -> Iterator[tuple[str, str, int]]:
        """Every (infoset, action, sequence) of the player, infoset by infoset."""
        for b, (names, actions) in enumerate(zip(self.infosets, self.actions, strict=True)):
            first, K = int(plex.arrays.first[b]), int(plex.arrays.states[b])
            for k in range(K):
                for a, action in enumerate(actions[k]):
                    yield names[k], action, first + a * K + k
