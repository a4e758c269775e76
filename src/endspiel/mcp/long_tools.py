"""Tools that take long: reports over boards, trees before the flop, reviews, best responses."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from endspiel.agent.base import agent_forms
from endspiel.arena.responses import ResponsePlan, ResponseResult, measure_response
from endspiel.batch.boards import WeightedBoard, report_runouts
from endspiel.batch.planning import SpotMethod
from endspiel.batch.report import BoardReport
from endspiel.batch.running import BatchSetting
from endspiel.betting.menu import StreetMenu
from endspiel.cards.ranges import parse_range
from endspiel.cards.streets import PREFLOP, STREETS
from endspiel.engine.limits import Limits
from endspiel.games.spot import Spot
from endspiel.mcp.asked import MakeReport, MeasureAgent, ReviewHands, SolvePreflop
from endspiel.mcp.certificates import preflop_certificate, report_certificate, review_certificate
from endspiel.mcp.queue import QueuedJob, Work
from endspiel.mcp.spot_tools import given_spot
from endspiel.preflop.solving import PlayLimits
from endspiel.progress import Progress
from endspiel.review.judge import Reviewer, ReviewSettings
from endspiel.review.judgments import Judgment
from endspiel.review.played import BrokenHand, PlayedHand
from endspiel.review.sources import parse_hands
from endspiel.rules.builtin import is_builtin, load_rules
from endspiel.solving.spots import SpotOptions
from endspiel.web.messages import Refused
from endspiel.web.preflops import read_preflop, solved_tree
from endspiel.web.report_runs import flops_typed

DEAREST: Final = 20  # judgments that are listed
RULES: Final = "nolimit-holdem"  # of logs: a header might name a file
NAMED: Final = 20  # hands that are not judged
_PLAIN: Final = ("random", "always-fold", "always-call", "always-raise", "pot-odds")


class LongTools:
    """Makes the work of tools whose answers take minutes."""

    def __init__(self, memory: int | None, threads: int, trust_agents: bool = False) -> None:
        self.memory, self.threads, self.trust_agents = memory, threads, trust_agents

    def report(self, asked: MakeReport) -> Work:
        """One tree on many boards."""
        spot = given_spot(asked.spot)
        boards = _boards(asked, spot)

        def work(job: QueuedJob) -> dict[str, Any]:
            limits = Limits(asked.target_percent / 100, halt=job.halt)
            how = SpotMethod(None, SpotOptions(self.threads, self.memory), limits)
            setting = BatchSetting(1, halted=lambda: job.over)
            made = BoardReport(spot, boards, how, setting, asked.node)

            def note(progress: Progress) -> None:
                job.note_progress(progress)

            made.run(note)
            if job.cancelled or not (made.rows or made.failures):
                raise KeyboardInterrupt
            return {
                "node": asked.node,
                "boards": len(boards),
                "solved": len(made.rows),
                "failed": made.failures,
                "mean": made.mean,
                "rows": made.rows,
                "measured": report_certificate(made),
            }

        return work

    def preflop(self, asked: SolvePreflop) -> Work:
        """A tree before the flop, and one decision's chart."""
        if asked.push_fold:
            raise Refused(
                "this tool solves whole trees: for push or fold give opens 'a', max_raises 1 and "
                "limp false",
                "push_fold",
            )
        preflop, wanted = read_preflop(asked), " ".join(asked.line.split())
        game = preflop.game()
        lines = [game.tree.line(one.node) for one in game.numbering.decisions]
        if wanted not in lines:
            named = ", ".join(repr(line) for line in lines[:NAMED])
            raise Refused(f"no decision after {wanted[:40]!r}: there are {named}", "line")

        def work(job: QueuedJob) -> dict[str, Any]:
            limits = PlayLimits(
                seconds=job.most_seconds, observe=job.note_progress, halt=lambda: job.over
            )
            answer = solved_tree(asked, preflop, limits)
            if job.cancelled:
                raise KeyboardInterrupt
            return _preflop_answer(msgspec.structs.asdict(answer), wanted)

        return work

    def review(self, asked: ReviewHands) -> Work:
        """Played hands, decision by decision."""
        first, last = (
            _street("first_street", asked.first_street),
            _street("last_street", asked.last_street),
        )
        if last < first:
            raise Refused("the last street comes before the first", "last_street")
        usual = ("66%", "") if first < STREETS.index("turn") else ("50%, 100%", "60%")
        ranges = parse_range(asked.oop), parse_range(asked.ip)
        hands = list(parse_hands(asked.history, "the history", RULES))

        def work(job: QueuedJob) -> dict[str, Any]:
            settings = ReviewSettings(
                ranges,
                StreetMenu.parse(*usual),
                first_street=first,
                last_street=last,
                player=asked.player,
                target=asked.target_percent / 100,
                threads=self.threads,
                halt=job.halt,
            )
            reviewer = Reviewer(settings)

            def given() -> Iterator[PlayedHand | BrokenHand]:
                for number, hand in enumerate(hands):
                    if job.over:
                        return
                    job.note_progress(Progress("hands", number, len(hands)))
                    yield hand

            found = reviewer.review(given())
            if job.cancelled:
                raise KeyboardInterrupt
            return {
                "hands": found.hands,
                "read": len(hands),
                "ended_by": "seconds" if job.late else "",
                "decisions": len(found.judgments),
                "unseen": found.unseen,
                "streets": {
                    name: dict(zip(("decisions", "big_blinds_lost"), found.lost(at), strict=True))
                    for at, name in enumerate(STREETS)
                },
                "dearest": [_judged(one) for one in found.dearest(DEAREST)],
                "not_judged": [one._asdict() for one in (*found.broken, *found.early)[:NAMED]],
                "measured": review_certificate(reviewer.solved.values(), first == PREFLOP),
            }

        return work

    def lbr(self, asked: MeasureAgent) -> Work:
        """What a local best response wins from an agent."""
        self._check_agent(asked.agent)
        if not is_builtin(asked.game):
            raise Refused(f"there is no game {asked.game[:40]!r} here", "game")
        plan = ResponsePlan(
            load_rules(asked.game), asked.agent, asked.setting, asked.boards, asked.seed
        )

        def work(job: QueuedJob) -> dict[str, Any]:
            result = measure_response(
                plan, self.threads, job.note_progress, halted=lambda: job.over
            )
            if job.cancelled:
                raise KeyboardInterrupt
            return _response_answer(plan, result)

        return work

    def _check_agent(self, spec: str) -> None:
        """Refuse agents that run code or read files of this machine, unless they are trusted."""
        if self.trust_agents or spec in _PLAIN:
            return
        known = {form.spec: form for form in agent_forms() if form.agent == "blueprint"}
        name, *options = spec.replace(":", ",").split(",")
        if name not in known:
            named = ", ".join((*_PLAIN, *known))
            raise Refused(
                f"agent {spec[:60]!r} may not be used here: there are {named}; others run code or "
                "read files, which the server allows with --trust-agents",
                "agent",
            )
        for option in options:
            field, mark, value = option.partition("=")
            if not mark or field not in known[name].options or "/" in value or "\\" in value:
                raise Refused(f"agent {name} has no option {option[:40]!r} here", "agent")
            if known[name].options[field].values in ("FILE", "FOLDER", "PATH"):
                raise Refused(f"option {field} names a file: --trust-agents allows that", "agent")


def _boards(asked: MakeReport, spot: Spot) -> list[WeightedBoard]:
    """The boards of a report, of which one kind is given."""
    given = {"flops": asked.flops, "turns": asked.turns, "rivers": asked.rivers}
    named = [(street, text) for street, text in given.items() if text.strip()]
    if len(named) != 1:
        raise Refused("give one of flops, turns and rivers", "flops")
    ((street, text),) = named
    if street == "flops":
        return flops_typed(text, spot)
    return report_runouts(text.replace(",", " ").strip(), spot, street.removesuffix("s"))


def _street(field: str, name: str) -> int:
    if name not in STREETS:
        raise Refused(f"it is one of {', '.join(STREETS)}, not {name[:20]!r}", field)
    return STREETS.index(name)


def _preflop_answer(record: dict[str, Any], line: str) -> dict[str, Any]:
    """The tree's figures, its decisions in a line each, and one chart whole."""
    (chart,) = (one for one in record["charts"] if one["line"] == line)
    return {
        "stack": record["stack"],
        "value_of_button": record["value"],
        "decisions": [_without_classes(one) for one in record["charts"]],
        "chart": chart,
        "flops": record["flops"],
        "measured": preflop_certificate(record),
    }


def _without_classes(chart: dict[str, Any]) -> dict[str, Any]:
    """A decision's facts that are no lists by class."""
    return {
        name: value for name, value in chart.items() if name not in ("classes", "evs", "weights")
    }


def _judged(one: Judgment) -> dict[str, Any]:
    """A judgment without its link into a page."""
    told = one._asdict() | {"street": STREETS[one.street]}
    del told["link"], told["ranges"]
    return told


def _response_answer(plan: ResponsePlan, result: ResponseResult) -> dict[str, Any]:
    """What was won, as a bound from below."""
    main = result.main
    return {
        "agent": plan.agent,
        "setting": plan.setting,
        "boards": len(result.units),
        "asked": plan.boards,
        "seed": plan.seed,
        "mbb_per_hand": main.mean,
        "interval": main.interval,
        "fallbacks": result.fallbacks,
        "seconds": result.seconds,
        "measured": {
            "exploitability": main.mean,
            "interval": main.interval,
            "unit": "mbb a hand",
            "exact": False,
            "game": f"{plan.game.name} on real cards; a lower bound with its 95% interval: a best "
            "response wins at least as much",
        },
    }
