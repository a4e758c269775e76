"""The agent that solves every decision: flops with a value net, turns and rivers to their end.

Before the flop it plays charts of the game's own depth over the 169 classes of hands (see
`preflop.played_charts`), and the ranges on the flop come from there.

The flop and the turn's first endgame trust the ranges that play has led to and guarantee nothing.
From there on each decision is solved within the last solve, by a gadget on what that one leaves
each hand of the opponent, and its gifts. No hand gets more, up to the solve's gap, where the
opponent can bet what it could in the last tree. By a bet off that tree, or by sizes that a river
has and its turn lacked, hands may gain: the largest and the mean gain are made small together.

Spec: ``blueprint+nested``, then options separated by commas: see `OPTIONS`.

Menu and iterations follow from the pot, the stacks and the ranges (`planning`), so a seed gives the
same play again; `nested_stages` says which endgames are solved. The clock only decides what is done
about a solve whose gap is too wide; the thought says what was done.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from endspiel.agent.attempts import PLAYABLE
from endspiel.agent.base import Agent, AgentForm, AgentOption
from endspiel.agent.blueprint import BOOK, FILE, MAP, NESTED, Decided, booked, parse_options
from endspiel.agent.blueprint import OPTIONS as PLAIN
from endspiel.agent.charts import CHARTS, ChartTrunk
from endspiel.agent.clock import UNTIMED, Clock, MoveTime
from endspiel.agent.endgame import (
    BOUND,
    DOUBT,
    HAND,
    MOVE,
    REHEARSED,
    TARGET,
    TRUSTED,
    EndgameAgent,
    EndgameOptions,
    check_doubt,
    option_count,
    option_number,
)
from endspiel.agent.exploiting import Ending, Exploiter
from endspiel.agent.flop import FLOP, FLOP_SECONDS, FlopApproach, FlopStages
from endspiel.agent.moves import street_moves
from endspiel.agent.nested_stages import THREADS, NestedApproach, NestedStages
from endspiel.agent.planning import WORK, StreetWork
from endspiel.agent.stages import Cards, EndgameEntry, Stage
from endspiel.agent.thoughts import Thought
from endspiel.agent.tilting import Trunk
from endspiel.betting.menu import STREET_NAMES
from endspiel.betting.translation import DEFAULT_MAPPING
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.cards.deck import hand_index
from endspiel.cards.run_outs import run_out_shares
from endspiel.endgame.safe.nested_solve import Unsolved
from endspiel.endgame.safe.techniques import PLAYED, REACH_MAXMARGIN, UNSAFE
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.game.post import Post
from endspiel.kernels.arrays import Float64s
from endspiel.preflop.played_charts import PlayedCharts, obstacle
from endspiel.ranges.line import Action
from endspiel.rules.acpc import parse_state
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import State
from endspiel.values.nets import load_net, shipped_net

NESTED_TECHNIQUES: Final = {
    name: technique
    for name, technique in PLAYED.items()
    if technique.is_safe or technique is UNSAFE
}
FLOPS: Final = "net"  # how they are played by default
BY_NET: Final = "flop by a value net"
OPTIONS: Final = {
    "file": FILE,
    "book": BOOK._replace(help=f"{BOOK.help} Limit games only."),
    "post": PLAIN["post"]._replace(help="How the strategy file is read where it is played."),
    "map": MAP,
    "safe": AgentOption(
        ", ".join(NESTED_TECHNIQUES),
        REACH_MAXMARGIN.name,
        "Technique of all endgames but a hand's first; unsafe trusts the ranges at every decision.",
    ),
    "trust": TRUSTED,
    "target": TARGET,
    "bound": BOUND,
    "doubt": DOUBT,
    "work": AgentOption(
        "millions of entries",
        f"{WORK.turn / 1e6:g}",
        "Updates of a solve from the turn on; 2000 take 5 s of one core. Rivers get a quarter. "
        "More work means richer menus.",
    ),
    "street": AgentOption("turn, river", "turn", "The first street that is solved to the end."),
    "flop": AgentOption(
        "net, blueprint",
        FLOPS,
        "How flops are played: solved with a value net at their end, or by the strategy file, as "
        "in limit games, with street=river and with exploit.",
    ),
    "net": AgentOption("FILE", "the shipped net", "The value net of flops."),
    "threads": AgentOption("a whole number", str(THREADS), "Threads of a turn's solve."),
    "hand": HAND,
    "move": MOVE,
    "exploit": AgentOption(
        "big blinds",
        "",
        "Exploits the opponent on rivers at this risk over a whole match; 0 risks only what the "
        "opponent gave away before.",
    ),
    "preflop": AgentOption(
        "charts, blueprint",
        CHARTS,
        "Plays charts of the game's depth before the flop, or the strategy file; charts need "
        "flop=net.",
    ),
}
_RIVER_SHARE: Final = WORK.river / WORK.turn


class NestedAgent(EndgameAgent):
    """Plays a blueprint, and from the flop or the turn on what it finds at each decision."""

    source = "endgame nested"
    stages: NestedStages  # type: ignore[assignment]
    flops: FlopStages | None = None
    charts: ChartTrunk | None = None
    exploiter: Exploiter | None = None
    _time = UNTIMED
    _unsettled: Ending | None = None  # the hand that is being played, as far as we saw it
    _seat = 0

    def use(self, approach: NestedApproach, flop: FlopApproach | None = None) -> None:
        """Solve endgames by an approach, and flops by another."""
        self.stages = NestedStages(approach, self._entry)
        if flop is not None:
            stages = self.stages
            self.flops = FlopStages(flop, super()._entry, lambda: stages.approach.standard)

    def _forget(self) -> None:
        super()._forget()
        if self.flops is not None:
            self.flops.begin()

    def rehearse(self) -> None:
        super().rehearse()
        if self.flops is not None:  # lines with an all-in on the flop use it
            run_out_shares(REHEARSED[2:5])

    @contextmanager
    def hurried(self, share: float) -> Iterator[None]:
        """Endgames from the turn on get a share of the work within it, and are forgotten then."""
        kept = self.stages, self._answers, self._unsolved
        self.stages = self.stages.hurried(share)
        self._answers, self._unsolved = self._answers.copy(), self._unsolved.copy()
        try:
            yield
        finally:
            self.stages, self._answers, self._unsolved = kept

    def exploit(self, risk: float) -> None:
        """Exploit the opponent of the match with this risk, in chips."""
        self.exploiter = self.stages.exploiter = Exploiter(risk, Trunk(self.follower, self.raw))
        self.watches = self.learns = True

    def begin(self, seed: int) -> None:
        if self._unsettled is not None:  # the rest of the hand was not shown
            self._settle(self._seat, self._unsettled)
        super().begin(seed)

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        action = super().act(state, hole, board)
        if self.exploiter is not None:
            self._seat, self._unsettled = state.actor, Ending(state.apply(action), board, hole)
        return action

    def watch(self, line: str) -> None:
        seen = parse_state(self._game, line)
        if seen.state.finished and seen.position is not None:
            hole, shown = seen.holes[seen.position], seen.holes[1 - seen.position]
            self._settle(seen.position, Ending(seen.state, seen.board, hole, shown))

    def strategy(self, state: State, board: Cards) -> tuple[Cards, Float64s]:
        if self.charts is not None and state.round == 0:
            return self.charts.strategy(state)
        return super().strategy(state, board)

    def _choose(self, state: State, hole: Cards, board: Cards) -> int:
        if self.charts is None or state.round > 0:
            return super()._choose(state, hole, board)
        actions, strategy = self.charts.strategy(state)
        return actions[self.draws.choose(strategy[:, hand_index(*hole)].tolist())]

    def _line(
        self, state: State, board: Cards, by: tuple[Blueprint, Blueprint] | None = None
    ) -> list[Action]:
        if self.charts is None:
            return super()._line(state, board, by)
        return [*self.charts.line(state), *self.follower.line(state, board, by, street=1)]

    def _thought(self, decision: Decided) -> Thought:
        thought = super()._thought(decision)
        if self.charts is None or decision.state.round > 0:
            return thought
        return replace(thought, source=CHARTS, why=self.charts.why(decision.state))

    def _settle(self, seat: int, ending: Ending) -> None:
        """Learn from a hand that is over."""
        self._unsettled = None
        if self.exploiter is not None:
            passages = self.stages.passages(ending.state, ending.board, seat)
            self.exploiter.settle(passages, seat, ending)

    def _solve(self, state: State, board: Cards, time: MoveTime) -> Stage | None:
        self._time, self.stages.seat = time, state.actor
        at = state.line, board
        if self.flops is not None and state.round == FLOP:
            found = self.flops.solve(state, board, time)
        else:
            found = self.stages.solve(state, board, time)
        if isinstance(found, Stage):
            self._answers[at] = found.actions, self.stages.strategy(found)
            return found
        self._answers[at], self._unsolved[at] = None, found.reason
        return None

    def _entry(self, root: State, board: Cards, seat: int) -> EndgameEntry | Unsolved:
        """How both come to a state: to a turn by the solved flop, else by the blueprint."""
        if self.flops is not None and root.round == FLOP + 1 and not street_moves(root):
            left = self.flops.leave(root, board, seat, self._time)
            if not isinstance(left, Unsolved):
                return left
        return super()._entry(root, board, seat)

    def _tell(self, stage: Stage, state: State, hand: int, place: int, seconds: float) -> Thought:
        thought = super()._tell(stage, state, hand, place, seconds)
        return replace(thought, source=BY_NET) if state.round == FLOP else thought


def forms() -> tuple[AgentForm, ...]:
    """Return the spec of this agent."""
    text = "Solves every decision from the flop on; plays charts before the flop."
    return (AgentForm("blueprint", f"blueprint+{NESTED}", text, OPTIONS, ","),)


def nested_agent(game: GameDef, options: str) -> Agent:
    """The agent of a spec's options."""
    stray, given = parse_options(options, OPTIONS)
    if stray:
        raise EndspielError(f"no option {stray!r} of a nested agent: write name=value")
    safe = given.get("safe", REACH_MAXMARGIN.name)
    if safe not in NESTED_TECHNIQUES:
        raise EndspielError(f"option safe is {', '.join(NESTED_TECHNIQUES)}, not {safe!r}")
    clock = Clock(
        option_number(given, "hand", Clock.hand), option_number(given, "move", Clock.move)
    )
    doubt = option_number(given, "doubt", 0.0)
    check_doubt(doubt)
    turn = 1e6 * option_number(given, "work", WORK.turn / 1e6)
    approach = NestedApproach(
        NESTED_TECHNIQUES[safe],
        Limits(option_number(given, "target", 0.003)),
        StreetWork(turn, _RIVER_SHARE * turn),
        _street(given.get("street", "turn")),
        option_number(given, "trust", 0.0),
        option_count(given, "threads", THREADS),
        doubt=doubt,
        playable=option_number(given, "bound", PLAYABLE),
    )
    flop = _flop(game, given, turn / WORK.turn)
    agent = NestedAgent(
        game,
        booked(load_blueprint(given.get("file"), game), given),
        Post.parse(given.get("post", "none")),
        given.get("map", DEFAULT_MAPPING),
        EndgameOptions(street=FLOP if flop else approach.street, clock=clock),
    )
    agent.use(approach, flop)
    agent.charts = _charts(game, given, flop is not None)
    if "exploit" in given:
        if not approach.technique.is_safe:
            raise EndspielError("opponents are exploited safely: not with safe=unsafe")
        agent.exploit(option_number(given, "exploit", 0.0) * game.big_blind)
    agent.rehearse()
    return agent


def _charts(game: GameDef, given: dict[str, str], usual: bool) -> ChartTrunk | None:
    """The charts that are played before the flop, if any are; usually where a net plays flops."""
    why = "what is risked comes from the file's play" if "exploit" in given else obstacle(game)
    how = given.get("preflop", CHARTS if usual and not why else "blueprint")
    if how not in (CHARTS, "blueprint"):
        raise EndspielError(f"option preflop is {CHARTS} or blueprint, not {how!r}")
    if how == "blueprint":
        return None
    if why:
        raise EndspielError(f"preflop={CHARTS} cannot be: {why}")
    return ChartTrunk(PlayedCharts(game))


def _flop(game: GameDef, given: dict[str, str], work: float) -> FlopApproach | None:
    """How flops are solved with so much of the usual work, if they are."""
    obstacles = {
        "the net is of no-limit hold'em": not game.no_limit,
        "it is entered before the turn, and needs street=turn": given.get("street") == "river",
        "opponents are exploited from the turn on alone": "exploit" in given,
    }
    known = [why for why, there in obstacles.items() if there]
    how = given.get("flop", "blueprint" if known else FLOPS)
    if how not in ("net", "blueprint"):
        raise EndspielError(f"option flop is net or blueprint, not {how!r}")
    if how == "blueprint":
        if "net" in given:
            raise EndspielError("option net is of flop=net")
        return None
    if known:
        raise EndspielError(f"flop=net cannot be: {known[0]}")
    net = load_net(given["net"])[0] if "net" in given else shipped_net()
    return FlopApproach(net, work * FLOP_SECONDS, doubt=option_number(given, "doubt", 0.0))


def _street(text: str) -> int:
    if text not in ("turn", "river"):
        raise EndspielError(f"option street is turn or river, not {text!r}")
    return STREET_NAMES.index(text)
