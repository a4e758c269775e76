"""What a local best response, or another agent, wins from an agent."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from endspiel.bounds import DEFAULT_SEED, MOST_DRAWN, MOST_ITERATIONS, MOST_SEED
from endspiel.jobs.job import ALONE, Context, Files, Job, Result, about, files_of

if TYPE_CHECKING:
    from endspiel.arena.responses import ResponseResult


class LbrJob(Job, frozen=True):
    """Bound an agent's exploitability from below.

    On every board both players hold all their hands at once, so card luck is not in the result.
    `endspiel match lbr+setting=NAME+AGENT AGENT` plays the same hand by hand.
    """

    ledger: ClassVar = "File of finished boards, of any agents and settings"

    agent: Annotated[
        str, about("See endspiel agents.", metavar="AGENT", argument=True, complete="agent")
    ]
    setting: Annotated[
        str,
        about(
            "fc folds and calls; fcpa also bets the pot and all-in; fcpa-turn calls until "
            "the turn, then as fcpa; 56-turn has 56 bets from the turn on. In limit games "
            "the one bet is the raise of the rules.",
            metavar="fc|fcpa|fcpa-turn|56-turn",
        ),
    ] = "fcpa-turn"
    boards: Annotated[
        int, about("Number of random boards; all hands are played on each.", 1, MOST_ITERATIONS)
    ] = 100
    seed: Annotated[int, about("Seed of the boards and of the agent.", 0, MOST_SEED)] = DEFAULT_SEED
    game: Annotated[str, about("The game played.", metavar="NAME-or-FILE")] = "nolimit-holdem"
    by: (
        Annotated[
            str,
            about(
                "Measure the winnings of this agent, with all its hands, in place of the "
                "response; --setting does not apply.",
                metavar="AGENT",
                complete="agent",
            ),
        ]
        | None
    ) = None
    trunk: Annotated[
        bool,
        about(
            "With --by: compare play before the flop alone. Flops are played by the value net "
            "for both, each knowing the range with which the other comes."
        ),
    ] = False
    beside: (
        Annotated[
            str,
            about(
                "Measure this agent too, on the same boards, and print the difference.",
                metavar="AGENT",
                complete="agent",
            ),
        ]
        | None
    ) = None
    screen: (
        Annotated[
            int,
            about(
                "Evaluate only the N most promising bets; still a valid lower bound. A quick "
                "pass over all bets chooses them: blueprint+nested spends a twentieth of its "
                "work on each from the turn on.",
                1,
                MOST_DRAWN,
                metavar="N",
            ),
        ]
        | None
    ) = None

    def read(self) -> Files:
        agents = [one for one in (self.agent, self.beside, self.by) if one is not None]
        return {**files_of(agents), "--game": self.game}

    def run(self, context: Context = ALONE) -> "LbrResult":
        from endspiel.arena.responses import ResponsePlan, measure_response
        from endspiel.rules.builtin import load_rules

        rules = load_rules(self.game)
        plans = [
            ResponsePlan(
                *(rules, agent, self.setting, self.boards, self.seed),
                *(self.by, self.screen, self.trunk),
            )
            for agent in (self.agent, self.beside)
            if agent is not None
        ]
        return LbrResult(
            self,
            [
                measure_response(
                    *(plan, context.workers, context.observe, context.resume, context.halted)
                )
                for plan in plans
            ],
        )


class LbrResult(Result):
    """What was won from an agent, and perhaps from another on the same boards."""

    def __init__(self, job: LbrJob, results: "list[ResponseResult]") -> None:
        self.job, self.results = job, results

    def record(self) -> dict[str, Any]:
        job, (result, *others) = self.job, self.results
        found: dict[str, Any] = {
            "setting": job.setting,
            "by": job.by,
            "game": result.plan.game.name,
            "boards": job.boards,
            "seed": job.seed,
            "screen": job.screen,
            "trunk": job.trunk,
            **_figures(result),
        }
        if others:
            less = result.over(others[0])
            found["beside"] = _figures(others[0])
            found["lost_less"] = {"mbb_per_hand": less.mean, "interval": less.interval}
        return found

    def lines(self) -> Iterator[str]:
        for one in self.results:
            yield from _words(one)
        for other in self.results[1:]:
            less = self.results[0].over(other)
            agents = f"{self.job.beside} loses {less} mbb/h less than {self.job.agent}"
            yield f"{agents} on the same boards"


def _figures(result: "ResponseResult") -> dict[str, Any]:
    """The JSON object of one agent."""
    main = result.main
    return {
        "agent": result.plan.agent,
        "mbb_per_hand": main.mean,
        "interval": main.interval,
        "mbb_per_hand_late": float(result.late.mean()),
        "units": result.units.tolist(),
        "slowest_answer_seconds": float(result.slowest.max()),
        "fallbacks": result.fallbacks,
        "processor_seconds": float(result.processor.sum()),
        "seconds": result.seconds,
    }


def _words(result: "ResponseResult") -> Iterator[str]:
    plan, late, processor = result.plan, result.late.mean(), result.processor.sum()
    won = f"{plan.by or f'lbr ({plan.setting})'} wins {result.main} mbb/h from {plan.agent}"
    where = "before the flop" if plan.trunk else f"{late:+.1f} of it by bets on late streets"
    yield f"{won} on {plan.boards} boards"
    yield f"  {where}; {processor:.0f} processor seconds"
    for reason, count in result.fallbacks.items():
        yield f"{plan.agent} did not play as its spec says {count} times: {reason}"
