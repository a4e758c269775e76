"""A table for two: a person at the page and an agent, hand after hand of no-limit hold'em."""

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Final

from endspiel.agent import Agent
from endspiel.agent.solves import solved
from endspiel.arena.deals import hand_seeds
from endspiel.arena.protocol.phh import write_phh
from endspiel.arena.protocol.room_text import SavedHand, history_text
from endspiel.betting.menu import STREET_NAMES
from endspiel.cards.text import format_cards
from endspiel.errors import EndspielError
from endspiel.rules.acpc import format_state, view
from endspiel.rules.deal import Deal, deals
from endspiel.rules.game_def import GameDef
from endspiel.rules.log import Record
from endspiel.rules.state import CALL, FOLD, State, start
from endspiel.web.judging import UNASKED, WAITING, YOU, JudgedHand
from endspiel.web.messages import PlayAsked, Refused, SpotText
from endspiel.web.play import PlayAnswer, card_names, legal_of
from endspiel.web.reviews import Notes, PointAnswer, told_points
from endspiel.web.store import ServerFolder
from endspiel.web.studies import StudiedStreet, endgame_of, spot_of
from endspiel.web.table_hands import (
    PlayedRows,
    ReplayAnswer,
    log_entry,
    own_loss,
    rate_of,
    replay_of,
    row_of,
    seat_of,
)
from endspiel.web.thinking import watch_endgames

REVIEWS: Final = 100  # hands that can be looked back at


class PlayTable:
    """One person, one agent."""

    def __init__(
        self,
        name: str,
        asked: PlayAsked,
        game: GameDef,
        agent: Agent,
        store: ServerFolder,
        seed: int,
    ) -> None:
        if asked.seat not in ("alternate", "button", "blind"):
            raise Refused("seat is alternate, button or blind", "seat")
        self.id, self.asked, self.game, self.agent = name, asked, game, agent
        self.created = self.used = time.time()
        self.store, self.seed = store, seed
        self.lock = threading.RLock()
        self._deals = deals(game, seed)
        self.records: list[Record] = []
        self.reviews: OrderedDict[int, list[PointAnswer]] = OrderedDict()
        self.studies: dict[tuple[int, str], StudiedStreet] = {}  # by hand and line
        self.ended: dict[int, float] = {}  # when each hand was over, in seconds since 1970
        self.judged: dict[int, JudgedHand] = {}
        self.total = 0.0
        self.number = 0
        self.thinking_since: float | None = None
        self._progress: dict[str, Any] = {}
        watch_endgames(agent, self._note)
        self.deal()

    def deal(self) -> None:
        """Begin the next hand."""
        with self.lock:
            if self.number and not self.state.finished:
                raise Refused("this hand is not over", "", 409)
            self.number += 1
            self.used = time.time()
            self.cards: Deal = next(self._deals)
            self.state: State = start(self.game)
            seats = {"button": 1, "blind": 0, "alternate": self.number % 2}
            self.seat = seats[self.asked.seat]
            self.log: list[dict[str, Any]] = []
            self.error = ""
            self.notes = Notes()
            self.agent.begin(hand_seeds(self.seed, 0, self.number, 1)[0][0])
            self._show()

    @property
    def agents_turn(self) -> bool:
        """Whether the agent is to act."""
        return not self.state.finished and self.state.actor != self.seat

    @property
    def stack(self) -> int | None:
        """The stacks at the start of each hand; None in limit, where they do not run out."""
        return self.asked.stack if self.game.no_limit else None

    @property
    def board(self) -> tuple[int, ...]:
        """The cards on the table."""
        return self.cards.board[: self.game.board_sizes[self.state.round]]

    def act(self, kind: str, to: int | None) -> None:
        """What the person does."""
        with self.lock:
            if self.state.finished:
                raise Refused("this hand is over: deal the next", "", 409)
            if self.agents_turn:
                raise Refused("it is the agent's turn", "", 409)
            known = {"fold": FOLD, "call": CALL, "check": CALL}
            if kind not in (*known, "raise"):
                raise Refused(f"no action {kind[:20]!r}: fold, call or raise", "action")
            if kind == "raise" and (to is None or to <= 0):
                raise Refused("a raise needs its chips, as a total over the hand", "to")
            action = known.get(kind, to or 0)
            try:
                self.state.verify(action)
            except EndspielError as error:
                raise Refused(str(error), "to" if kind == "raise" else "action") from error
            self.used = time.time()
            self._apply(action, YOU)

    def think(self) -> None:
        """Let the agent act until it is the person's turn; takes as long as the agent does."""
        while True:
            with self.lock:
                if not self.agents_turn:
                    self.thinking_since = None
                    return
                state, board = self.state, self.board
                hole = self.cards.holes[1 - self.seat]
                self.thinking_since = begun = time.perf_counter()
                self._progress = {}
            action = self._agent_action(state, hole, board)
            seconds = time.perf_counter() - begun
            study = endgame_of(self.agent)
            if study is not None and study.board == board:
                self.studies[self.number, state.line] = study
            if type(self.agent).thoughts is Agent.thoughts:  # it does not tell them itself
                self.notes.add(self.agent, state, (hole, board), (action, seconds))
            with self.lock:
                self._apply(action, self.asked.agent)

    def _note(self, news: dict[str, Any]) -> None:
        self._progress = news

    def doing(self) -> dict[str, Any]:
        """What the agent is at, in a sentence, and how far its solving has come."""
        street, progress = STREET_NAMES[self.state.round], self._progress
        by = f" by {self.asked.technique}" if self.asked.technique else ""
        what = "solving the endgame" if progress else "thinking"
        return {"text": f"{what} on the {street}{by}", "detail": progress}

    def _agent_action(self, state: State, hole: tuple[int, ...], board: tuple[int, ...]) -> int:
        try:
            return state.mend(self.agent.act(state, hole, board))
        except Exception as error:  # the hand must go on whatever the agent does
            self.error = f"the agent failed and checks or calls: {error}"
            return CALL

    def _apply(self, action: int, who: str) -> None:
        state, seen = self.state, len(self.board)
        self.log.append(log_entry(state, action, "you" if who == YOU else "agent"))
        self.state = state.apply(action)
        for size in self.game.board_sizes[1:]:
            if seen < size <= len(self.board):
                shown = format_cards(self.cards.board[seen:size], " ")
                street = STREET_NAMES[self.game.board_sizes.index(size)]
                self.log.append({"street": street, "who": "dealer", "text": shown})
                seen = size
        self._show()
        if self.state.finished:
            self._finish()

    def _show(self) -> None:
        """Show the agent the table, if it watches."""
        if self.agent.watches:
            seen = view(self.state, self.cards, self.number, 1 - self.seat)
            self.agent.watch(format_state(seen))

    def _finish(self) -> None:
        payoffs = self.state.payoffs(self.cards)
        self.total += payoffs[self.seat]
        names = (YOU, self.asked.agent) if self.seat == 0 else (self.asked.agent, YOU)
        shown = view(self.state, self.cards, self.number)
        self.records.append(Record(shown, payoffs, names))
        self.ended[self.number] = time.time()
        self.judged[self.number] = JudgedHand(UNASKED)
        self.reviews[self.number] = self._points()
        if len(self.reviews) > REVIEWS:
            gone, _ = self.reviews.popitem(last=False)
            self.studies = {key: study for key, study in self.studies.items() if key[0] != gone}
        try:
            write_phh(self.records, self.store.history(self.id))
        except EndspielError as error:
            self.error = str(error)

    def _thoughts(self) -> Sequence[Any]:
        """The agent's thoughts about its decisions, if it has any."""
        try:
            return tuple(self.agent.thoughts)
        except Exception as error:  # a hand without its thoughts is still a hand
            self.error = f"the agent's thoughts cannot be told: {error}"
            return ()

    def _points(self) -> list[PointAnswer]:
        """The agent's decisions, in its own words or as its policy has them."""
        told = self._thoughts()
        points = told_points(self.game, told) if told else self.notes.points
        for point in points:
            point.study = (self.number, point.line) in self.studies
        return points

    def review(self, number: int | None) -> dict[str, Any]:
        """A finished hand, looked back at."""
        with self.lock:
            if number is None:
                number = next(reversed(self.reviews), 0)
            if number not in self.reviews:
                raise Refused(f"hand {number} is not over, or too long ago", "hand", 404)
            record = self._record(number)
            seat = seat_of(record)
            return {
                "hand": number,
                "seat": seat,
                "hole": card_names(record.shown.holes[seat]),
                "agent_hole": card_names(record.shown.holes[1 - seat]),
                "board": card_names(record.shown.board),
                "won": record.payoffs[seat],
                "line": record.shown.state.line,
                "points": self.reviews[number],
            }

    def _record(self, number: int) -> Record:
        found = next((one for one in self.records if one.shown.hand == number), None)
        if found is None:
            raise Refused(f"hand {number} is not over", "hand", 404)
        return found

    def hands(self) -> PlayedRows:
        """Every finished hand in a line, the newest first."""
        with self.lock:
            rows = [row_of(one, self.judged[one.shown.hand]) for one in self.records]
        return PlayedRows(rows[::-1])

    def replay(self, number: int) -> ReplayAnswer:
        """A finished hand step by step."""
        with self.lock:
            return replay_of(self._record(number), self.stack, self.judged[number])

    def text(self) -> str:
        """The finished hands as poker rooms write them."""
        with self.lock:
            hands = [SavedHand(one, self.ended[one.shown.hand]) for one in self.records]
        return history_text(hands, f"Endspiel {self.id}", YOU)

    def ask_judged(self, number: int) -> Record | None:
        """The record of a hand that is to be judged now; None where it was asked for before."""
        with self.lock:
            record = self._record(number)
            if self.judged[number].state != UNASKED:
                return None
            self.judged[number] = JudgedHand(WAITING)
            return record

    def note_judged(self, number: int, found: JudgedHand) -> None:
        """Store what a hand's own decisions lost."""
        with self.lock:
            self.judged[number] = found

    def study(self, number: int, line: str) -> SpotText:
        """The endgame of a decision in a finished hand, as a spot."""
        with self.lock:
            found = self.studies.get((number, line)) if number in self.reviews else None
        if found is None:
            raise Refused(
                f"no endgame was solved after {line[:80]!r} in hand {number}", "line", 404
            )
        return spot_of(found)

    def answer(self) -> PlayAnswer:
        """The table as the person sees it."""
        with self.lock:
            state, over = self.state, self.state.finished
            agents = self.agents_turn
            return PlayAnswer(
                id=self.id,
                agent=self.asked.agent,
                game=self.asked.game,
                technique=self.asked.technique,
                hand=self.number,
                seat=self.seat,
                blinds=self.asked.blinds,
                stack=self.stack,
                street=STREET_NAMES[state.round],
                board=card_names(self.board),
                hole=card_names(self.cards.holes[self.seat]),
                agent_hole=card_names(self.cards.holes[1 - self.seat]) if over else None,
                pot=state.pot,
                spent=list(state.spent),
                to_call=0 if over or agents else state.to_call,
                turn="over" if over else "agent" if agents else "you",
                thinking=agents,
                error=self.error,
                line=state.line,
                log=list(self.log),
                legal=None if over or agents else legal_of(state),
                result=self._result() if over else None,
                hands=len(self.records),
                total=self.total,
                rate=rate_of(self.game, self.records),
                own=own_loss(list(self.judged.values())),
                fallbacks=dict(self.agent.fallbacks),
                **({"solves": {}, "gaps": {}} | solved(self.agent)),
            )

    def _result(self) -> dict[str, Any]:
        won = self.records[-1].payoffs[self.seat]
        how = "showdown" if self.state.showdown else "fold"
        after = "at the showdown" if how == "showdown" else "by a fold"
        did = "win" if won > 0 else "lose"
        text = f"You {did} {abs(won):g} {after}." if won else f"You split the pot {after}."
        return {"won": won, "how": how, "text": text}

    def close(self) -> None:
        """Leave the table."""
        self.agent.close()
