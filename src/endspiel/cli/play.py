"""``endspiel play``: a person against the agent, in the terminal."""

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endspiel.bounds import MOST_DEALER_SEED, MOST_ITERATIONS
from endspiel.cards.streets import STREETS
from endspiel.cli.completing import complete_agent
from endspiel.cli.output import JsonOption, check_apart, check_writable, quiet, write_json
from endspiel.jobs.job import files_of

if TYPE_CHECKING:
    from endspiel.agent.base import Agent
    from endspiel.rules.acpc import MatchState
    from endspiel.rules.deal import Deal
    from endspiel.rules.game_def import GameDef
    from endspiel.rules.log import Record
    from endspiel.rules.state import State


def play(
    agent: Annotated[
        str,
        typer.Option(
            metavar="AGENT",
            help="The opponent: see endspiel agents.",
            autocompletion=complete_agent,
        ),
    ] = "blueprint",
    endgame: Annotated[
        str,
        typer.Option(
            metavar="TECHNIQUE",
            help="How a blueprint solves the end of a hand: nested (every decision from the flop "
            "on); rivers by unsafe-lp, unsafe, resolve, maxmargin or reach-maxmargin; or none.",
        ),
    ] = "nested",
    strategy: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The strategy file that a blueprint plays; by default the one that comes along.",
        ),
    ] = None,
    hands: Annotated[int, typer.Option(min=1, max=MOST_ITERATIONS, help="The most hands.")] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_DEALER_SEED,
            help="Seed of the deals and of the agent; the clock by default.",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            metavar="NAME-or-FILE",
            help="nolimit-holdem, limit-holdem or another; a --strategy's own by default.",
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option(help="After each hand, show the agent's range and strategy.")
    ] = False,
    history: Annotated[
        Path | None,
        typer.Option(
            help="Save the hands to this file as they are played: PHH, or a text as poker rooms "
            "write it where the name ends in .txt. Without it you are asked at the end."
        ),
    ] = None,
    json: JsonOption = None,
) -> None:
    """Play heads-up hold'em against the agent in the terminal."""
    from endspiel.agent import make_agent
    from endspiel.agent.solves import solved
    from endspiel.errors import EndspielError, RulesError

    if strategy is not None and agent != "blueprint":
        raise EndspielError(f"a strategy file is for the blueprint to play; {agent} has none")
    rules = _rules(game, strategy)
    if agent == "blueprint":
        agent = f"blueprint+{endgame}" + (f",file={strategy}" if strategy else "")
    if rules.num_players != 2:
        raise RulesError(f"two play here, a person and the agent; {rules.name} is for others")
    if history is not None:
        check_new(history)
    used = {**files_of([agent]), "--game": game, "--strategy": strategy}
    check_apart({} if history is None else {"--history": history}, json, used)
    seed = int(time.time()) if seed is None else seed
    typer.echo("Endspiel: sitting down.", err=True)
    table = _Table(rules, make_agent(agent, rules), seed, quiet(json))
    table.say(f"You play {agent} at {rules.name}, seed {seed}. Type ? for help, q to leave.")
    try:
        table.session(hands, explain, history)
    finally:
        table.agent.close()
    write_json(
        json,
        {
            "agent": agent,
            "seed": seed,
            **table.result(),
            "fallbacks": dict(table.agent.fallbacks),
            **solved(table.agent),
        },
    )


def check_new(path: Path) -> None:
    """Refuse a file for the hands that cannot be written, or that is there already."""
    from endspiel.errors import FileError

    check_writable(path)
    if path.exists():
        raise FileError(f"{path} exists: name another file for the hands of this session")


def _rules(game: str | None, strategy: Path | None) -> "GameDef":
    """The game that is named, or that of a strategy file, or no-limit hold'em."""
    from endspiel.blueprint.blueprint import load_blueprint
    from endspiel.rules.builtin import load_rules

    if strategy is not None and game is None:
        return load_blueprint(strategy).game
    return load_rules(game or "nolimit-holdem")


PERSON = "you"  # the person's name in the saved hands


class _Leave(Exception):  # noqa: N818  (no error: a way out)
    """The person has left the table."""


class _Table:
    """A person, an agent and the running result."""

    def __init__(self, game: "GameDef", agent: "Agent", seed: int, whisper: bool) -> None:
        self.game, self.agent, self.seed = game, agent, seed
        self.records: list[Record] = []
        self.ended: list[float] = []  # when each hand was over, in seconds since 1970
        self.chips: list[float] = []  # the person's, hand by hand
        self._whisper = whisper

    def say(self, text: str) -> None:
        """A line for the person."""
        typer.echo(text, err=self._whisper)

    def result(self) -> dict[str, Any]:
        """How it went for the person."""
        total = sum(self.chips)
        hands = len(self.chips)
        mbb = 1000 * total / self.game.big_blind / hands if hands else 0.0
        return {"hands": hands, "chips": total, "mbb_per_hand": mbb}

    def session(self, hands: int, explain: bool, path: Path | None) -> None:
        """Hand after hand, until the person leaves."""
        from endspiel.agent.solves import by_count
        from endspiel.arena.deals import hand_seeds
        from endspiel.rules.deal import deals

        source = deals(self.game, self.seed)
        for number in range(hands):
            deal = next(source)
            self.agent.begin(hand_seeds(self.seed, 0, number, 1)[0][1])
            try:
                self._hand(number, deal, person=number % 2)
            except (_Leave, EOFError, KeyboardInterrupt):
                break
            if path is not None:
                self._save(path)
            if explain:
                self._explain()
        found = self.result()
        self.say(
            f"Hands played: {found['hands']}, {found['chips']:+.0f} chips, "
            f"{found['mbb_per_hand']:+.0f} mbb a hand."
            + (f" They are in {path}." if self.records and path is not None else "")
        )
        solves = self.agent.solves
        for line in solves.lines() if solves is not None else []:
            self.say(f"The agent, {line}.")
        for line in by_count(self.agent.fallbacks):
            self.say(f"The agent did not play as its spec says {line}.")
        if path is None and self.records and _at_terminal():
            self._offer()

    def _save(self, path: Path) -> None:
        """Write all hands so far to a file."""
        from endspiel.arena.protocol.phh import write_phh
        from endspiel.arena.protocol.room_text import SavedHand, write_text

        if path.suffix.lower() == ".txt":
            hands = list(map(SavedHand, self.records, self.ended))
            write_text(hands, path, "Endspiel", PERSON)
        else:
            write_phh(self.records, path)

    def _offer(self) -> None:
        """Ask a person whose hands are not saved for a file; an empty answer saves nothing."""
        from endspiel.errors import EndspielError

        usual = time.strftime("hands-%Y%m%d-%H%M%S.phhs")
        self.say(f"Save these hands? Type a file name such as {usual}, or Enter for no.")
        while True:
            typer.echo("  > ", nl=False, err=self._whisper)
            try:
                name = sys.stdin.readline().strip()
            except KeyboardInterrupt:
                return
            if not name:
                return
            try:
                check_new(Path(name))
                self._save(Path(name))
            except EndspielError as error:
                self.say(f"  {error}")
                continue
            self.say(f"The hands are in {name}.")
            return

    def _hand(self, number: int, deal: "Deal", person: int) -> None:
        """One hand, from the blinds to the pot."""
        from endspiel.cards.text import format_hand
        from endspiel.cli.typed_bets import describe
        from endspiel.rules.acpc import view
        from endspiel.rules.log import Record
        from endspiel.rules.state import start

        state, shown = start(self.game), -1
        seat = "on the button" if person == 1 else "in the big blind"
        self.say(f"\nHand {number + 1}. You are {seat} with {format_hand(deal.holes[person])}.")
        while not state.finished:
            if state.round != shown:
                shown = state.round
                self._show_street(state, deal, person)
            board = deal.board[: self.game.board_sizes[state.round]]
            self._tell_agent(view(state, deal, number, 1 - person))
            if state.actor == person:
                action = self._ask(state)
            else:
                begin = time.perf_counter()
                action = state.mend(self.agent.act(state, deal.holes[1 - person], board))
                took = time.perf_counter() - begin
                self.say(f"  The agent {describe(state, action)}." + _seconds(took))
            state = state.apply(action)
        self._tell_agent(view(state, deal, number, 1 - person))
        payoffs = state.payoffs(deal)
        names = (PERSON, "agent") if person == 0 else ("agent", PERSON)
        self.records.append(Record(view(state, deal, number), payoffs, names))
        self.ended.append(time.time())
        self.chips.append(payoffs[person])
        self._show_end(state, deal, person)

    def _tell_agent(self, seen: "MatchState") -> None:
        """Show the agent the table, if it watches."""
        from endspiel.rules.acpc import format_state

        if self.agent.watches:
            self.agent.watch(format_state(seen))

    def _show_street(self, state: "State", deal: "Deal", person: int) -> None:
        from endspiel.cards.text import format_cards

        board = deal.board[: self.game.board_sizes[state.round]]
        left = [stack - spent for stack, spent in zip(self.game.stacks, state.spent, strict=True)]
        street = STREETS[state.round] if self.game.num_rounds == len(STREETS) else "street"
        cards = f" {format_cards(board, ' ')}" if board else ""
        self.say(f" {street}{cards}   pot {state.pot}, you {left[person]}, it {left[1 - person]}")

    def _ask(self, state: "State") -> int:
        """What the person does; asks again until it is legal."""
        from endspiel.cli.typed_bets import help_of, offers, parse_bet
        from endspiel.errors import IllegalAction

        self.say(f"  You: {offers(state)}")
        while True:
            typer.echo("  > ", nl=False, err=self._whisper)
            line = sys.stdin.readline()
            word = line.strip().lower()
            if not line or word in ("q", "quit", "exit"):
                raise _Leave
            if word in ("?", "h", "help"):
                self.say(f"  {help_of(state)}")
                continue
            try:
                return parse_bet(word, state)
            except IllegalAction as error:
                self.say(f"  {error}")

    def _show_end(self, state: "State", deal: "Deal", person: int) -> None:
        from endspiel.cards.text import format_cards, format_hand

        won = self.chips[-1]
        if state.showdown:
            agent = format_hand(deal.holes[1 - person])
            self.say(f"  Showdown on {format_cards(deal.board, ' ')}: the agent has {agent}.")
        verb = "win" if won > 0 else "lose" if won < 0 else "get your chips back:"
        self.say(f"  You {verb} {abs(won):.0f}. Running result {sum(self.chips):+.0f}.")

    def _explain(self) -> None:
        """The agent's view of the hand, where it can tell."""
        from endspiel.agent.thoughts import tell

        thoughts = self.agent.thoughts
        if not thoughts:
            self.say("  This agent does not explain itself.")
        for thought in thoughts:
            for line in tell(thought):
                self.say(f"  {line}")


def _at_terminal() -> bool:
    """Whether a person can be asked."""
    return sys.stdin.isatty()


def _seconds(took: float) -> str:
    return f" ({took:.1f} s)" if took >= 0.1 else ""
