"""A hand of betting: whose turn, what is legal and why not, what follows, who is paid what.

An action is one integer: ``FOLD``, ``CALL`` (also a check), or, for a bet or raise, the total
chips the player will have put in over the whole hand. States know no cards; a ``Deal`` is given
where a showdown must be paid. Behavior is that of the competition's dealer, with one exception: a
limit raise by a player whose stack cannot exceed the bet is refused, where the dealer lowers the
bet. N players, R rounds.
"""

from typing import Final, NamedTuple

from endspiel.errors import IllegalAction, StateError
from endspiel.rules.deal import Deal
from endspiel.rules.game_def import GameDef
from endspiel.rules.ranking import RANKINGS

FOLD: Final = -1
CALL: Final = 0
HAND_OVER: Final = -1  # in place of the position to act
MAX_ACTIONS: Final = 64  # in a round; the dealer keeps room for one call of everybody


class State(NamedTuple):
    """Where the betting of one hand stands; ``apply`` gives the next state and changes nothing."""

    game: GameDef
    line: str  # the betting so far as ACPC writes it: "cr300c/c"
    round: int
    actor: int  # position to act, HAND_OVER at its end
    spent: tuple[int, ...]  # [N] chips put in over the whole hand
    folded: tuple[bool, ...]  # [N]
    max_spent: int  # what a call must match
    street_start: int  # what a call had to match when the round began; 0 in the first
    min_raise_to: int  # least no-limit raise, if the stack reaches it
    raises: int  # this round
    actions: int  # this round
    acting: int  # players neither folded nor all-in
    called: int  # of those, how many have matched the last raise of this round

    @property
    def finished(self) -> bool:
        """Whether the hand is over, by folds or with a showdown."""
        return self.actor < 0

    @property
    def pot(self) -> int:
        """All chips put in."""
        return sum(self.spent)

    @property
    def to_call(self) -> int:
        """Chips the player to act must add to call; 0 when checking is free."""
        stack = self.game.stacks[self.actor]
        return min(self.max_spent, stack) - self.spent[self.actor] if self.actor >= 0 else 0

    @property
    def showdown(self) -> bool:
        """Whether the hand is over with hands to compare."""
        return self.actor < 0 and self.folded.count(False) > 1

    def can_fold(self) -> bool:
        """Whether folding is legal: not when checking is free."""
        return self.actor >= 0 and self.spent[self.actor] < self.max_spent

    def raise_bounds(self) -> tuple[int, int] | None:
        """Least and greatest chips to raise to, or None when no raise is legal; equal in limit."""
        game, actor = self.game, self.actor
        if (
            actor < 0
            or self.acting < 2
            or self.raises >= game.max_raises[self.round]
            or self.actions + len(self.spent) > MAX_ACTIONS
        ):
            return None
        stack = game.stacks[actor]
        if stack <= self.max_spent:
            return None
        if game.no_limit:
            least = self.min_raise_to
            return (least, stack) if least <= stack else (stack, stack)
        to = min(self.max_spent + game.raise_sizes[self.round], stack)
        return to, to

    def legal_actions(self) -> tuple[int, ...]:
        """Fold if legal, call, then the least and the greatest raise (once where they are equal).

        In no-limit every amount between those two is legal as well.
        """
        if self.actor < 0:
            return ()
        passive = (FOLD, CALL) if self.can_fold() else (CALL,)
        bounds = self.raise_bounds()
        if bounds is None:
            return passive
        least, most = bounds
        return (*passive, least) if least == most else (*passive, least, most)

    def verify(self, action: int) -> None:
        """Raise IllegalAction, saying why, unless the player to act may do this."""
        if self.actor < 0:
            raise IllegalAction(f"the hand is over after {self.line!r}")
        if action == CALL:
            return
        if action == FOLD:
            if self.spent[self.actor] >= self.max_spent:
                raise IllegalAction(f"no fold after {self.line!r}: checking is free")
            return
        bounds = self.raise_bounds()
        if bounds is None or not bounds[0] <= action <= bounds[1]:
            raise IllegalAction(self._why_no_raise(action, bounds))

    def can(self, action: int) -> bool:
        """Whether the player to act may do this."""
        try:
            self.verify(action)
        except IllegalAction:
            return False
        return True

    def mend(self, action: int) -> int:
        """What the competition's dealer plays instead: an illegal size clamped, else a call."""
        if self.can(action):
            return action
        bounds = self.raise_bounds()
        if action <= 0 or bounds is None:
            return CALL
        return min(max(action, bounds[0]), bounds[1])

    def apply(self, action: int) -> "State":
        """The state after a legal action; IllegalAction for any other."""
        self.verify(action)
        game, actor, spent, folded = self.game, self.actor, self.spent, self.folded
        acting, called, raises = self.acting, self.called, self.raises
        max_spent, min_raise_to = self.max_spent, self.min_raise_to
        if action == FOLD:
            line = self.line + "f"
            folded = (*folded[:actor], True, *folded[actor + 1 :])
            acting -= 1
        else:
            stack = game.stacks[actor]
            if action == CALL:
                line = self.line + "c"
                chips = max_spent if max_spent < stack else stack
                called += 1
            else:
                line = f"{self.line}r{action}" if game.no_limit else self.line + "r"
                chips = action
                called = 1
                raises += 1
                # The next raise must call this one and add at least as much again.
                again = 2 * action - max_spent
                if again > min_raise_to:
                    min_raise_to = again
                max_spent = action
            spent = (*spent[:actor], chips, *spent[actor + 1 :])
            if chips == stack:
                acting -= 1
                called -= 1

        over = acting < 2 and folded.count(False) == 1
        if over or called >= acting:
            return self._close_round(line, spent, folded, max_spent, acting)
        following = _next_to_act(game, actor + 1, spent, folded)
        return tuple.__new__(
            State,
            (
                game,
                line,
                self.round,
                following,
                spent,
                folded,
                max_spent,
                self.street_start,
                min_raise_to,
                raises,
                self.actions + 1,
                acting,
                called,
            ),
        )

    def _close_round(
        self,
        line: str,
        spent: tuple[int, ...],  # [N]
        folded: tuple[bool, ...],  # [N]
        max_spent: int,
        acting: int,
    ) -> "State":
        """The state after the last action of a round: the next round, or the end of the hand."""
        game, now = self.game, self.round
        actor = HAND_OVER
        street_start, min_raise_to = self.street_start, self.min_raise_to
        if folded.count(False) > 1 and now + 1 < game.num_rounds:
            if acting > 1:
                now += 1
                line += "/"
                actor = _next_to_act(game, game.first_players[now], spent, folded)
                street_start, min_raise_to = max_spent, max_spent + game.big_blind
            else:
                line += "/" * (game.num_rounds - 1 - now)
                now = game.num_rounds - 1
        return State(
            game=game,
            line=line,
            round=now,
            actor=actor,
            spent=spent,
            folded=folded,
            max_spent=max_spent,
            street_start=street_start,
            min_raise_to=min_raise_to,
            raises=0,
            actions=0,
            acting=acting,
            called=0,
        )

    def _why_no_raise(self, action: int, bounds: tuple[int, int] | None) -> str:
        """The reason a raise is refused."""
        here = f"no raise to {action} after {self.line!r}"
        if action < FOLD:
            return f"no action {action}: an action is FOLD ({FOLD}), CALL ({CALL}) or chips"
        if bounds is not None:
            if not self.game.no_limit:
                return f"{here}: the limit raise is to {bounds[0]}"
            return f"{here}: a raise is to at least {bounds[0]} and at most {bounds[1]}"
        if self.raises >= self.game.max_raises[self.round]:
            return f"{here}: {self.raises} raises were made, and no more are allowed"
        if self.acting < 2:
            return f"{here}: no player is left to call it"
        if self.game.stacks[self.actor] <= self.max_spent:
            return f"{here}: the stack of {self.game.stacks[self.actor]} does not exceed the bet"
        return f"{here}: a round has at most {MAX_ACTIONS} actions"

    def payoffs(self, deal: Deal | None = None) -> tuple[float, ...]:
        """Chips each position won or lost: [N]; integers unless a pot does not divide evenly.

        A deal is needed only where the hand ended with a showdown.
        """
        if self.actor >= 0:
            raise StateError(f"the hand is not over after {self.line!r}")
        spent, folded = self.spent, self.folded
        if folded.count(False) == 1:
            pot = sum(spent)
            return tuple(
                -chips if out else pot - chips for chips, out in zip(spent, folded, strict=True)
            )
        if deal is None:
            raise StateError(f"the hand goes to showdown after {self.line!r}: its cards are needed")
        rank = RANKINGS[self.game.ranking].rank
        ranks = [
            -1 if out else rank((*hole, *deal.board))
            for hole, out in zip(deal.holes, folded, strict=True)
        ]
        if len(spent) == 2 and spent[0] == spent[1]:
            stake = spent[0] if ranks[0] != ranks[1] else 0
            return (stake, -stake) if ranks[0] > ranks[1] else (-stake, stake)
        return _side_pots(spent, ranks)


def start(game: GameDef) -> State:
    """The state before the first action, blinds posted.

    Examples:
        >>> import endspiel as es
        >>> state = es.start_state(es.load_rules("nolimit-holdem"))
        >>> state.pot, state.legal_actions()
        (150, (-1, 0, 200, 20000))
        >>> state.apply(300).apply(es.CALL).line
        'r300c/'
    """
    blinds, players = game.blinds, game.num_players
    nobody_folded = (False,) * players
    most = max(blinds)
    return State(
        game=game,
        line="",
        round=0,
        actor=_next_to_act(game, game.first_players[0], blinds, nobody_folded),
        spent=blinds,
        folded=nobody_folded,
        max_spent=most,
        street_start=0,
        min_raise_to=most + game.big_blind,
        raises=0,
        actions=0,
        acting=sum(chips < stack for chips, stack in zip(blinds, game.stacks, strict=True)),
        called=0,
    )


def _next_to_act(
    game: GameDef,
    at: int,
    spent: tuple[int, ...],  # [N]
    folded: tuple[bool, ...],  # [N]
) -> int:
    """First position from ``at`` on, around the table, that has not folded and has chips left."""
    stacks, players = game.stacks, len(spent)
    while True:
        if at >= players:
            at -= players
        if not folded[at] and spent[at] < stacks[at]:
            return at
        at += 1


def _side_pots(spent: tuple[int, ...], ranks: list[int]) -> tuple[float, ...]:
    """Chips won or lost at a showdown: [N], from chips put in [N] and hand ranks [N] (-1 folded).

    Pots are taken from the smallest stake up. Winners of a pot split what the others put into it,
    in the floating-point steps of the dealer, so that thirds add up as they do there.
    """
    payoffs: list[float] = [0] * len(spent)
    floor = 0
    for level in sorted(set(spent) - {0}):
        size = level - floor
        inside = [p for p, chips in enumerate(spent) if chips >= level]
        best = max(ranks[p] for p in inside)
        winners = [p for p in inside if ranks[p] == best]
        won = size * (len(inside) - len(winners)) / len(winners)
        for p in inside:
            payoffs[p] += won if ranks[p] == best else -size
        floor = level
    return tuple(int(chips) if chips == int(chips) else chips for chips in payoffs)
