"""How the spots of a batch are solved: what tells two of them apart, and who notices Ctrl-C."""

from dataclasses import replace

from endspiel.batch.planning import SpotMethod
from endspiel.betting.prizes import PrizeMap
from endspiel.betting.rake import parse_rake
from endspiel.engine.limits import Limits
from endspiel.solving.spots import SpotOptions
from tests.batch.rivers import river

HOW = SpotMethod(None, SpotOptions(1), Limits(iterations=20, keep_on_interrupt=True))


def test_whatever_changes_a_solution_changes_its_key() -> None:
    spot = river()
    raked = [replace(spot, rake=parse_rake("5%", cap)) for cap in (None, 3)]
    half = spot.stack + spot.pot / 2
    maps = [PrizeMap((half, half), others, (3.0, 1.0)) for others in ((), (400.0,))]
    prized = [replace(spot, prizes=prizes) for prizes in maps]
    other = replace(HOW, limits=Limits(iterations=30))
    keys = [HOW.key(one) for one in (spot, river("8d"), river(pot=300), *raked, *prized)]
    assert len({*keys, other.key(spot)}) == 8
    assert HOW.key(river()) == keys[0]


def test_ctrl_c_ends_a_batch_not_the_spot_it_is_at() -> None:
    assert not HOW.limits.keep_on_interrupt
