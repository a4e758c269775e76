"""The rake that options name, in every job that has them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from endspiel.errors import EndspielError

if TYPE_CHECKING:
    from endspiel.betting.rake import Rake
    from endspiel.games.spot import Spot


def with_rake(path: str, share: str | None, cap: float | None) -> "Spot":
    """The spot of a file; what options say of the rake comes before what the file says."""
    from endspiel.betting.rake import Rake, parse_rake
    from endspiel.games.spot import load_spot

    spot = load_spot(path)
    rake = spot.rake if share is None else Rake(parse_rake(share).share, spot.rake.cap)
    return replace(spot, rake=rake if cap is None else Rake(rake.share, cap))


def rake_typed(share: str | None, cap: float | None, chips: float = 1.0) -> "Rake":
    """The rake of two options; the cap is in units of the given chips."""
    from endspiel.betting.rake import NO_RAKE, parse_rake

    if share is None:
        if cap is not None:
            raise EndspielError("--rake-cap is given without --rake")
        return NO_RAKE
    return parse_rake(share, None if cap is None else chips * cap)
