"""The agent that solves endgames: a blueprint for the trunk, a fresh solve at the end, on a clock.

Spec: ``blueprint+TECHNIQUE``, then options separated by commas: see `OPTIONS`.

An endgame ends with its target or its iterations, which depend on nothing but the hand, so a seed
gives the same play again. The clock may cut it short. Then its measured gap decides what is done
(`attempts`): thoughts say which solves took more time or a leaner menu, ``solves`` counts them, and
``fallbacks`` counts the decisions that were left to the blueprint, by reason. Linear programs are
judged by their gap on real cards: above the bound the river gets more buckets, or more time where
the program was not finished, then a leaner menu, then the blueprint. ``solves`` and ``fallbacks``
count every T that was lowered and every program that iterations were played for.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Final

import numpy as np

from endspiel.abstraction.features import DEAD
from endspiel.agent.attempts import AS_PLANNED, PLAYABLE
from endspiel.agent.base import Agent, AgentForm, AgentOption
from endspiel.agent.blueprint import BOOK, FILE, MAP, BlueprintAgent, booked, parse_options
from endspiel.agent.blueprint import OPTIONS as PLAIN
from endspiel.agent.clock import UNTIMED, Clock, MoveTime
from endspiel.agent.exact import (
    ENTRIES,
    PROGRAM_WORDS,
    BucketedRiver,
    Program,
    program_words,
    rehearse_programs,
)
from endspiel.agent.follow import NOWHERE
from endspiel.agent.moves import street_moves
from endspiel.agent.planning import menus_for, turn_menus
from endspiel.agent.solves import Solves
from endspiel.agent.stages import Approach, Cards, EndgameEntry, Stage, Stages
from endspiel.agent.thoughts import Thought
from endspiel.arrays import Float64s
from endspiel.betting.menu import Sizing, StreetMenu
from endspiel.betting.rake import NO_RAKE, Rake, parse_rake
from endspiel.betting.translation import DEFAULT_MAPPING
from endspiel.blueprint.blueprint import Blueprint, load_blueprint
from endspiel.cards.deck import NUM_CARDS, NUM_HANDS, hand_index
from endspiel.cards.streets import RIVER, TURN
from endspiel.endgame.river.buckets import PAPER_ALPHA, PAPER_T
from endspiel.endgame.safe.baseline import Baseline, values_against
from endspiel.endgame.safe.live import TABLE_LIMITS
from endspiel.endgame.safe.nested_solve import Unsolved
from endspiel.endgame.safe.techniques import PLAYED, UNSAFE, Technique
from endspiel.engine.limits import Limits
from endspiel.errors import EndspielError
from endspiel.game.post import Post
from endspiel.ranges.line import ranges_along
from endspiel.rules.game_def import GameDef
from endspiel.rules.state import CALL, State, start

NUMBER: Final = "a number from 0 up"
TARGET: Final = AgentOption(
    "a share of the pot", "0.003", "Exploitability, or the gadget's gap, at which a solve ends."
)
BOUND: Final = AgentOption(
    "a share of the pot",
    f"{PLAYABLE:g}",
    "The widest gap that is played. A wider one gets more time, then a leaner menu, then the "
    "strategy file.",
)
HAND: Final = AgentOption("seconds", f"{Clock.hand:g}", "Time a hand, on average.")
MOVE: Final = AgentOption("seconds", f"{Clock.move:g}", "Time a move, at most.")
DOUBT: Final = AgentOption(
    "0 to 1",
    "0",
    "The least weight of each of the opponent's hands where its range is believed, as a share of "
    "the likeliest hand's weight.",
)
TRUSTED: Final = AgentOption(
    NUMBER,
    "0",
    "How far a safe technique believes the opponent's range; above 0 gives up the bound.",
)
OPTIONS: Final = {
    "file": FILE,
    "book": BOOK,
    "post": PLAIN["post"]._replace(default="purify"),
    "map": MAP,
    "turn": AgentOption("yes, no", "no", "Solve from the turn on; otherwise from the river on."),
    "target": TARGET,
    "bound": BOUND,
    "iterations": AgentOption("a whole number", "1000", "The most iterations of a solve."),
    "hand": HAND,
    "move": MOVE,
    "trust": TRUSTED,
    "doubt": DOUBT._replace(help=f"Unsafe techniques only. {DOUBT.help}"),
    "T": AgentOption(
        "a whole number",
        str(PAPER_T),
        "unsafe-lp: buckets times betting sequences of a player.",
    ),
    "alpha": AgentOption(
        "0 to 1",
        f"{PAPER_ALPHA:g}",
        "unsafe-lp: hands of this equity or more share the top bucket.",
    ),
    "entries": AgentOption(
        "a whole number",
        str(ENTRIES),
        "unsafe-lp: the most payoffs of a program, pairs of buckets times ends of the betting; "
        "T is lowered until the program fits.",
    ),
    "clustering": AgentOption(
        ", ".join(PROGRAM_WORDS["clustering"]),
        Program.clustering,
        "unsafe-lp: occupied is intervals of equity, where T counts those that hold hands; equal "
        "is the paper's, where T counts all; all-hands is no buckets.",
    ),
    "population": AgentOption(
        ", ".join(PROGRAM_WORDS["population"]),
        Program.population,
        "unsafe-lp: the hands whose equities place the intervals.",
    ),
    "refine": AgentOption(
        ", ".join(filter(None, PROGRAM_WORDS["refine"])), "", "unsafe-lp: refine the equilibrium."
    ),
    "rake": AgentOption("a percentage, as in 5%", "", "unsafe: rake of each pot in the endgame."),
    "rake_cap": AgentOption("chips", "", "unsafe: the most rake of a pot."),
}
OF_PROGRAMS: Final = ("T", "alpha", "entries", *PROGRAM_WORDS)
NO_NODE: Final = Unsolved("the blueprint's tree has no decision here to compare with")
TRUST: Final = 0.0  # more, and the safe techniques are not safe by theorem
REHEARSED: Final = tuple(range(0, NUM_CARDS, 7))  # two hole cards and a board
LEAN_TURNS: Final = 2  # menus of `planning` that are leaner than TURN_SIZING

# From the turn on there are 48 rivers to solve with it: few sizes.
TURN_SIZING: Final = Sizing(
    (None, None, StreetMenu.parse("50%, 100%, a", "100%, a"), StreetMenu.parse("75%, a", "a")),
    max_raises=3,
    force_allin_threshold=0.15,
)


def endgame_menu(state: State) -> Sizing | None:
    """What may be bet in an endgame that begins at a state, with its real pot and stacks.

    None in a limit game: its rules say.
    """
    return endgame_menus(state)[0]


def endgame_menus(state: State) -> Sequence[Sizing | None]:
    """The menu of an endgame that begins at a state, then leaner ones."""
    if state.game.no_limit and state.round < RIVER:
        return (TURN_SIZING, *turn_menus()[-LEAN_TURNS:])
    return menus_for(state)


_Answer = tuple[Cards, Float64s]  # actions [A], and how often each hand takes each [A, 1326]


@dataclass
class EndgameOptions:
    """How an agent is to solve endgames."""

    technique: Technique = UNSAFE
    limits: Limits = TABLE_LIMITS
    street: int = RIVER  # the first to be solved
    clock: Clock = field(default_factory=Clock)
    trust: float = TRUST  # in the opponent's range, of the safe techniques
    program: Program = field(default_factory=Program)  # of unsafe-lp
    rake: Rake = NO_RAKE  # of unsafe: the others' endgames are zero-sum
    doubt: float = 0.0  # in the opponent's range, of those that believe it
    playable: float = PLAYABLE  # the widest gap of a solve that is played, as a share of the pot

    def __post_init__(self) -> None:
        check_doubt(self.doubt)
        if self.doubt and self.technique.is_safe:
            raise EndspielError(
                f"option doubt is of unsafe solving: {self.technique.name} believes no range"
            )
        if self.rake and self.technique is not UNSAFE:
            raise EndspielError(
                f"{self.technique.name} solves zero-sum endgames, and with a rake of {self.rake} "
                "there are none: use unsafe"
            )


class EndgameAgent(BlueprintAgent):
    """Plays a blueprint, and from a street on what it finds by solving."""

    source = ""  # what its thoughts name; the technique by default
    solves_from: int
    solves: Solves

    def __init__(
        self,
        game: GameDef,
        blueprint: Blueprint,
        post: Post,
        mapping: str,
        options: EndgameOptions,
    ) -> None:
        super().__init__(game, blueprint.played(post), mapping)
        self.solves_from = options.street
        self._game = game
        self.raw = blueprint  # what the opponent may be following: the strategy as it was found
        self.options = options
        approach = Approach(
            options.technique,
            endgame_menus,
            options.limits,
            options.trust,
            program=options.program,
            rake=options.rake,
            doubt=options.doubt,
            playable=options.playable,
        )
        self.stages = Stages(approach)
        self.fallbacks: Counter[str] = Counter()
        self.solves = Solves()
        self._forget()

    def _forget(self) -> None:
        """Whatever belongs to one hand."""
        self.stages.begin()
        self._told: list[Thought] = []
        self._entries: dict[tuple[State, Cards, int], EndgameEntry | Unsolved] = {}
        self._answers: dict[tuple[str, Cards], _Answer | None] = {}  # None: the blueprint's
        self._unsolved: dict[tuple[str, Cards], str] = {}  # why it is the blueprint's
        self._on_clock = False

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._forget()

    def rehearse(self) -> None:
        """Check a hand down in thought: what must be loaded is not on the clock."""
        cards = REHEARSED
        approach, state = self.stages.approach, start(self._game)
        rehearsed = replace(approach, limits=Limits(iterations=1), playable=inf)
        if approach.technique.by_program:
            rehearse_programs()
            rehearsed = replace(rehearsed, program=Program(budget=1))
        self.stages.approach = rehearsed
        self.begin(0)
        while not state.finished:
            board = cards[2 : 2 + self._game.board_sizes[state.round]]
            super().act(state, cards[:2], board)
            self.strategy(state, board)
            state = state.apply(CALL)
        self.stages.approach = approach
        self.begin(0)

    @property
    def thoughts(self) -> Sequence[Thought]:
        trunk = [self._with_reason(self._thought(decision)) for decision in self._decided]
        return sorted([*trunk, *self._told], key=lambda thought: len(thought.line))

    def _with_reason(self, thought: Thought) -> Thought:
        """A decision by the blueprint, and why no endgame was solved for it, where one was due."""
        reason = self._unsolved.get((thought.line, thought.board))
        if reason is None:
            return thought
        return replace(thought, why=f"{thought.why}; no endgame was solved: {reason}")

    def act(self, state: State, hole: Cards, board: Cards) -> int:
        clock = self.options.clock
        if not self._on_clock:  # hands that are only asked about earn no time
            clock.begin_hand()
            self._on_clock = True
        if state.round < self.options.street:
            return super().act(state, hole, board)
        time = clock.begin_move()
        stage = self._solve(state, board, time)
        if stage is None:
            self.fallbacks[self._unsolved[state.line, board]] += 1
            action = super().act(state, hole, board)
            clock.end_move()
            return action
        (_, strategy), hand = self.strategy(state, board), hand_index(*hole)
        place = self.draws.choose(strategy[:, hand].tolist())
        seconds = clock.end_move()
        self.solves.add(state.round, stage.how, stage.gap)
        if isinstance(stage.endgame, BucketedRiver) and stage.endgame.downgrade:
            self.fallbacks[stage.endgame.downgrade] += 1
        self._told.append(self._tell(stage, state, hand, place, seconds))
        return state.mend(stage.actions[place])

    def strategy(self, state: State, board: Cards) -> tuple[Cards, Float64s]:
        if state.round < self.options.street:
            return super().strategy(state, board)
        if (state.line, board) not in self._answers:
            self._solve(state, board, UNTIMED)
        # An answer about a hand stays true after later solves.
        return self._answers[state.line, board] or super().strategy(state, board)

    def _solve(self, state: State, board: Cards, time: MoveTime) -> Stage | None:
        """The endgame of a decision, solved; None where play has left nothing to solve it with."""
        moves = street_moves(state)
        root, self.stages.seat = moves[0].state if moves else state, state.actor
        way = root, board, state.actor
        if way not in self._entries:
            before = self.stages.entry_after(street_moves(state, state.round - 1), board)
            self._entries[way] = before or self._entry(root, board, state.actor)
        entry = self._entries[way]
        if not isinstance(entry, Unsolved):
            stage = self.stages.solve(state, board, entry, time)
            if isinstance(stage, Stage):
                found = stage.actions, stage.endgame.strategy(stage.node)
                self._answers[state.line, board] = found
                return stage
            entry = stage
        self._answers[state.line, board] = None
        self._unsolved[state.line, board] = entry.reason
        return None

    def _entry(self, root: State, board: Cards, seat: int) -> EndgameEntry | Unsolved:
        """How both come to a street's start, as the blueprint has it."""
        own, other = self._ranges(root, board, seat)
        ranges = (own, other) if seat == 0 else (other, own)
        values = None
        if self.options.technique.is_safe:  # it asks what the blueprint leaves the opponent here
            tree, node = self.raw.tree, self.follower.node(root)
            if node == NOWHERE:
                return NO_NODE
            scale = root.pot / float(tree.spent[node].sum())
            values = values_against(Baseline(tree, node, seat, self.raw.hands, own), board) * scale
        return EndgameEntry(ranges, values, self._gifts(root, board, 1 - seat))

    def _ranges(self, root: State, board: Cards, seat: int) -> tuple[Float64s, Float64s]:
        """Our range and the opponent's [1326] after what each did so far.

        Ours by the strategy that we play, the opponent's by the one that was found.
        """
        both = (self.blueprint, self.raw) if seat == 0 else (self.raw, self.blueprint)
        found = ranges_along(board, self._line(root, board, both))
        return found[seat].weights, found[1 - seat].weights

    def _gifts(self, root: State, board: Cards, other: int) -> Float64s:
        """What the opponent's hands [1326] gave away before this street, in chips.

        Nothing, where the strategy file does not tell.
        """
        found, kept = np.zeros(NUM_HANDS), self.raw.gifts
        if kept is not None and self.options.technique.uses_gifts:
            for step in self.follower.steps(root):
                if step.player == other:
                    by_bucket = kept.of(step.node)[list(step.actions)].min(axis=0)
                    buckets = self.raw.buckets(board[: root.game.board_sizes[step.street]])
                    live = buckets != DEAD
                    found[live] += by_bucket[buckets[live]]
        return found * root.game.big_blind

    def _tell(self, stage: Stage, state: State, hand: int, place: int, seconds: float) -> Thought:
        endgame, seat = stage.endgame, state.actor
        line, ranges = endgame.tree.line(stage.node), self.stages.ranges(stage, endgame.board)
        measured = f" {endgame.measured}" if isinstance(endgame, BucketedRiver) else ""
        return Thought(
            line=state.line,
            board=endgame.board,
            hand=hand,
            source=self.source or f"endgame {self.options.technique.name}",
            why=(
                f"solved in {seconds:.2f} s with {endgame.tree.num_nodes} nodes of betting, "
                f"gap {100 * stage.gap:.3g}% of the pot{measured}"
                + (f", at {line!r}" if line else "")
                + (f"; {stage.note}" if stage.note else "")
                + (f"; {stage.how}" if stage.how != AS_PLANNED else "")
            ),
            actions=stage.actions,
            strategy=self.strategy(state, endgame.board)[1],
            own=ranges[seat],
            other=ranges[1 - seat],
            chosen=place,
            seconds=seconds,
            exploitability=stage.gap,
        )


def forms() -> tuple[AgentForm, ...]:
    """Return the spec of each technique with its options."""
    helps = {
        "unsafe-lp": "Solves rivers exactly, in buckets, by linear programming; trusts the ranges.",
        "unsafe": "Solves rivers with all hands; trusts the ranges.",
        "resolve": "Solves rivers; holds each hand to what the strategy file gives, if bets allow.",
        "maxmargin": "As resolve, and maximizes the smallest gain over the strategy file.",
        "reach-maxmargin": "As maxmargin, with the gifts that the opponent's actions gave.",
        "none": "Plays a purified strategy file and solves nothing.",
    }
    found = []
    for name, text in helps.items():
        refused = _refused(PLAYED.get(name))
        options = {key: option for key, option in OPTIONS.items() if key not in refused}
        found.append(AgentForm("blueprint", f"blueprint+{name}", text, options, ","))
    return tuple(found)


def _refused(technique: Technique | None) -> set[str]:
    """Return the options that a technique has no use for."""
    if technique is None:
        return OPTIONS.keys() - {"file", "book", "post", "map"}
    refused = {"doubt"} if technique.is_safe else {"trust"}
    refused |= set() if technique is UNSAFE else {"rake", "rake_cap"}
    return refused | (set() if technique.by_program else set(OF_PROGRAMS))


def endgame_agent(game: GameDef, technique: str, options: str) -> Agent:
    """The agent of a technique and its options."""
    stray, given = parse_options(options, OPTIONS)
    if stray:
        raise EndspielError(f"no option {stray!r} of an endgame agent: write name=value")
    by_program = technique in PLAYED and PLAYED[technique].by_program
    misplaced = [name for name in OF_PROGRAMS if name in given and not by_program]
    if misplaced:
        raise EndspielError(f"option {misplaced[0]} is of unsafe-lp; {technique} solves no program")
    post, mapping = Post.parse(given.get("post", "purify")), given.get("map", DEFAULT_MAPPING)
    chosen = EndgameOptions(
        PLAYED.get(technique, UNSAFE),
        Limits(option_number(given, "target", 0.003), option_count(given, "iterations", 1000)),
        TURN if _yes(given.get("turn", "no")) else RIVER,
        Clock(option_number(given, "hand", Clock.hand), option_number(given, "move", Clock.move)),
        option_number(given, "trust", TRUST),
        _program(given),
        _rake(given),
        option_number(given, "doubt", 0.0),
        option_number(given, "bound", PLAYABLE),
    )
    blueprint = booked(load_blueprint(given.get("file"), game), given)
    if technique == "none":
        return BlueprintAgent(game, blueprint.played(post), mapping)
    agent = EndgameAgent(game, blueprint, post, mapping, chosen)
    agent.rehearse()
    return agent


def check_doubt(doubt: float) -> None:
    """Refuse what is no share of a weight."""
    if not 0 <= doubt <= 1:
        raise EndspielError(f"doubt is a share from 0 to 1 of the likeliest hand's weight: {doubt}")


def option_number(given: dict[str, str], name: str, default: float) -> float:
    try:
        number = float(given.get(name, default))
    except ValueError:
        number = -1.0
    if not 0 <= number < inf:
        raise EndspielError(f"option {name} is a number from 0 up, not {given[name]!r}")
    return number


def option_count(given: dict[str, str], name: str, default: int) -> int:
    text = given.get(name, str(default))
    if not text.isdecimal() or int(text) < 1:
        raise EndspielError(f"option {name} is a whole number from 1 up, not {text!r}")
    return int(text)


def _program(given: dict[str, str]) -> Program:
    """What the linear program is to be."""
    alpha = option_number(given, "alpha", PAPER_ALPHA)
    if not 0 < alpha <= 1:
        raise EndspielError(f"option alpha is an equity above 0 and up to 1, not {given['alpha']}")
    budget, entries = option_count(given, "T", PAPER_T), option_count(given, "entries", ENTRIES)
    return Program(budget, alpha, entries=entries, **program_words(given))


def _rake(given: dict[str, str]) -> Rake:
    """What the house takes in the endgames."""
    if "rake" not in given:
        if "rake_cap" in given:
            raise EndspielError("option rake_cap is given without a rake")
        return NO_RAKE
    cap = option_number(given, "rake_cap", 0.0) if "rake_cap" in given else None
    return parse_rake(given["rake"], cap)


def _yes(text: str) -> bool:
    if text not in ("yes", "no"):
        raise EndspielError(f"option turn is yes or no, not {text!r}")
    return text == "yes"
