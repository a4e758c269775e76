"""A spot file with the rake that options name, in `endspiel solve` and `endspiel report`."""

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endspiel.games.spot import Spot


def with_rake(path: str, share: str | None, cap: float | None) -> "Spot":
    """The spot of a file; what options say of the rake comes before what the file says."""
    from endspiel.betting.rake import Rake, parse_rake
    from endspiel.games.spot import load_spot

    spot = load_spot(path)
    rake = spot.rake if share is None else Rake(parse_rake(share).share, spot.rake.cap)
    return replace(spot, rake=rake if cap is None else Rake(rake.share, cap))
