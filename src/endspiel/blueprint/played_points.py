"""The points of a strategy file's grids as they are played, with or without post-processing."""

from endspiel.blueprint.file_layout import FileLayout
from endspiel.game.post import TIE, Post
from endspiel.kernels.arrays import Bools, Floats


class PlayedPoints:
    """Each grid's points as they are played, made when first asked for."""

    def __init__(self, layout: FileLayout, post: Post) -> None:
        self._layout = layout
        self._post = post
        self._made: dict[int, tuple[Floats, Bools | None]] = {}

    def __getitem__(self, which: int) -> tuple[Floats, Bools | None]:
        """Points [size, A], and which of them [size] a row's number must decide, if any."""
        found = self._made.get(which)
        if found is None:
            points, tied = self._layout.grids[which].points, None
            if self._post.purifies:
                tied = (points >= points.max(axis=1, keepdims=True) - TIE).sum(axis=1) > 1
            played = self._post.rows(points)
            played.flags.writeable = False
            found = self._made[which] = played, tied
        return found
