"""Interior points for one-street games: the sequence form's linear program, started near its end.

The plans x and y, the values u of both players' states and the slacks s of their actions follow
the central path, on which every x s is equally small, down to the solution (Mehrotra's predictor
and corrector, Gondzio's centrality correctors). What a general solver spends on sparse factors is
done along the public tree here, in dense blocks of buckets; a strategy from CFR, pulled a little
off its bounds, saves most of the way.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from scipy import sparse

from endspiel.betting.streets import Street
from endspiel.game import Game, Profile, exploitability
from endspiel.kernels.arrays import Floats
from endspiel.kernels.tree_newton import TreeArrays
from endspiel.solvers.lp.public_tree import Newton, Pair

Observe = Callable[[int, float], bool]  # gets steps and gap; True ends the solve
BOTH = (0, 1)
# Starts: the share of the uniform strategy in the plans, and the gap, in payoff units, that the
# products of plans and slacks are lifted to. Near the profile first, else from the middle.
STARTS = ((1e-3, 1e-3), (1.0, 1.0))
HIGHEST = 1.0  # most that a slack is lifted to, in payoff units
NEAR = 0.1  # products within this factor of their target need no corrector
BACK = 0.95  # how much of the way to the bounds a step may go
CORRECTORS = 2
STRETCH = 1.5  # how much longer a step correctors try for
GAIN = 0.02  # least gain in length, of both steps together, that keeps a corrector
LOST = 1e3  # where products are this far below the gap, rounding has the upper hand
STRIDE, PACE = 10, 3.0  # these steps shrink the products by this factor, or the start was bad
MOST_STEPS = 100
SLOWER = 1.25  # how much longer than the last one a step may take, for the deadline's sake
# Multiplications a second that the first step is expected to make, where states are few and many:
# about a third of what was measured, so that it rather ends early.
SPEED, SPEED_MANY = 1.5e10, 3e10


@dataclass(frozen=True)
class Interior:
    """Where interior points came to."""

    profile: Profile
    gap: float  # exploitability of the profile, in the game's units
    steps: int
    stopped: str = ""  # "target", "time", "observer", "rounding"; inside also "corner"


@dataclass
class _Point:
    """Both players' plans and slacks [S, K], sequence 0 fixed, and their states' values [D, K]."""

    x: Pair
    s: Pair
    u: Pair

    def moved(self, by: "_Point", primal: float, dual: float) -> "_Point":
        """The point after a step; player 0's plan and player 1's values are the primal side."""
        plans, values = (primal, dual), (dual, primal)
        return _Point(
            _pair(self.x[p] + plans[p] * by.x[p] for p in BOTH),
            _pair(self.s[p] + values[p] * by.s[p] for p in BOTH),
            _pair(self.u[p] + values[p] * by.u[p] for p in BOTH),
        )

    def plus(self, other: "_Point") -> "_Point":
        return self.moved(other, 1.0, 1.0)

    @property
    def products(self) -> Pair:
        return _pair(self.x[p] * self.s[p] for p in BOTH)


class InteriorSolver:
    """A one-street game on its way to the solution."""

    def __init__(self, game: Game, street: Street, tree: TreeArrays, forms: Floats) -> None:
        """Forms [2, K0, K1] are what a fold and a showdown of stake 1 pay, chance included."""
        self.game, self.street = game, street
        fold, show = forms
        self.newton = Newton(tree, (forms, np.stack([fold.T, -show.T])))
        self.mass = _pair(game.plexes[p].mass.reshape(street.size[p], -1) for p in BOTH)
        # Weights by mass would do as well in theory; even ones take a third of the steps.
        self.weight = _fixed(_pair(np.full(mass.shape, 1 / mass.shape[1]) for mass in self.mass))
        self.total = sum(float(weight.sum()) for weight in self.weight)
        self.sums = tuple(_sums(street, p) for p in BOTH)

    def solve(
        self,
        start: Profile,
        target: float,
        ends: float,
        observe: Observe = lambda steps, gap: False,
    ) -> Interior:
        """Follow the path from a profile until a gap, a time, or the end of what numbers tell.

        Where a start near the profile leads into a corner, the path is followed from its middle.
        The observer gets the gap after every step, and may end the run there.
        """
        self._observe = observe
        best = Interior(start, exploitability(self.game, start).mean, 0)
        self._took = self._work() / (SPEED_MANY if self.newton.many else SPEED)
        for pull, path in STARTS:
            if best.gap > target and self._late(ends):  # before the work of a start
                return replace(best, stopped="time")
            best = self._follow(self._start(start, pull, path), best, target, ends)
            if best.stopped != "corner":
                break
        return best

    def _follow(self, point: _Point, best: Interior, target: float, ends: float) -> Interior:
        """Step after step from a point; the best profile met, and why there are no more."""
        before, steps = np.inf, best.steps
        for step in range(1, MOST_STEPS + 1):
            began = perf_counter()
            if best.gap <= target:
                return replace(best, stopped="target")
            if self._late(ends):
                return replace(best, stopped="time")
            with np.errstate(all="ignore"):
                point = self._step(point)
            if not all(np.isfinite(part).all() for part in (*point.x, *point.s)):
                break
            found, center = self._profile(point), self._center(point)
            gap = exploitability(self.game, found).mean
            if gap < best.gap:
                best = replace(best, profile=found, gap=gap)
            elif center * self.total < best.gap / LOST:
                break
            best = replace(best, steps=steps + step)
            if self._observe(best.steps, best.gap):
                return replace(best, stopped="observer")
            if step % STRIDE == 0:
                if center > before / PACE:
                    return replace(best, stopped="corner")
                before = center
            self._took = perf_counter() - began
        return replace(best, stopped="rounding")

    def _late(self, ends: float) -> bool:
        """Whether another step would end late."""
        return perf_counter() + SLOWER * self._took >= ends

    def _work(self) -> float:
        """Multiplications of a step, about: every merge is a few products of its blocks."""
        K = max(mass.shape[1] for mass in self.mass)
        work: float = 25.0 * K**3 * len(self.newton.tree.seq)
        return work

    def _profile(self, point: _Point) -> Profile:
        plans = [(np.maximum(point.x[p], 0) * self.mass[p]).ravel() for p in BOTH]
        return Profile.from_plans(self.game, plans[0], plans[1])

    def _center(self, point: _Point) -> float:
        """The mean product of plan and slack, by weight."""
        return sum(float(part[1:].sum()) for part in point.products) / self.total

    def _gradients(self, x: Pair) -> Pair:
        """What each sequence earns its player, in shares of mass on both sides: [S, K]."""
        plans = [(x[p] * self.mass[p]).ravel() for p in BOTH]
        earned = (self.game.gradient(p, plans[1 - p]) for p in BOTH)
        return _pair(g.reshape(m.shape) * m for g, m in zip(earned, self.mass, strict=True))

    def _slacks(self, u: Pair, x: Pair) -> Pair:
        """How far each sequence falls short of its state's value: E'u - Ay; 0 at sequence 0."""
        earned = self._gradients(x)
        return _fixed(_pair(self.sums[p].T @ u[p] - earned[p] for p in BOTH))

    def _start(self, profile: Profile, pull: float, path: float) -> _Point:
        """Plans off their bounds, best-response values, and slacks lifted to the path."""
        even = Profile.uniform(self.game)
        x = _pair(
            ((1 - pull) * profile.plan(self.game, p) + pull * even.plan(self.game, p)).reshape(
                self.mass[p].shape
            )
            / self.mass[p]
            for p in BOTH
        )
        values = []
        for p, plex in enumerate(self.game.plexes):
            best, _ = plex.best_response((self._gradients(x)[p] / self.mass[p]).ravel())
            rows = best.reshape(self.mass[p].shape) * self.mass[p]
            values.append(np.maximum.reduceat(rows, self.street.first[p], axis=0))
        u = values[0], values[1]
        slacks = self._slacks(u, x)
        lifted = (self.weight[p] * np.minimum(path / self.total / x[p], HIGHEST) for p in BOTH)
        s = _pair(np.maximum(slacks[p], low) for p, low in enumerate(lifted))
        return _Point(x, s, u)

    def _step(self, at: _Point) -> _Point:
        """One iteration: predict, correct, keep to the path, move."""
        system = _System(self, at)
        center, products = self._center(at), at.products
        ahead = system.direction(_pair(-part for part in products))
        primal, dual = (min(1.0, length) for length in system.lengths(ahead))
        sigma = (self._center(at.moved(ahead, primal, dual)) / center) ** 3
        goal = _pair(sigma * center * weight for weight in self.weight)
        bent = _pair(goal[p] - products[p] - ahead.x[p] * ahead.s[p] for p in BOTH)
        found = system.direction(_fixed(bent))
        lengths = system.lengths(found)
        for _ in range(CORRECTORS):
            better = found.plus(system.recenter(found, lengths, goal))
            longer = system.lengths(better)
            if sum(min(1.0, a) for a in longer) < sum(min(1.0, a) for a in lengths) + GAIN:
                break
            found, lengths = better, longer
        primal, dual = (min(1.0, BACK * length) for length in lengths)
        return at.moved(found, primal, dual)


class _System:
    """Newton's equations at a point, factored."""

    def __init__(self, solver: InteriorSolver, at: _Point) -> None:
        self.solver, self.at = solver, at
        diagonal = _pair(np.divide(at.s[p], at.x[p]) for p in BOTH)
        solver.newton.factor(diagonal)
        slacks = solver._slacks(at.u, at.x)
        self.unfit = _pair(at.s[p] - slacks[p] for p in BOTH)  # dual residual
        self.missing = _pair(solver.sums[p] @ at.x[p] for p in BOTH)  # primal residual

    def direction(self, products: Pair, residuals: bool = True) -> _Point:
        """The step that changes the products of plan and slack by so much, and mends residuals.

        It is refined once: what the first answer leaves of the equations is solved for again.
        """
        nothing = _pair(np.zeros_like(part) for part in self.missing)
        unfit = self.unfit if residuals else _pair(np.zeros_like(part) for part in self.unfit)
        missing = self.missing if residuals else nothing
        found = self._solve(unfit, missing, products)
        if not residuals:
            return found
        at, slacks = self.at, self.solver._slacks(found.u, found.x)
        still = _pair(found.s[p] - slacks[p] + unfit[p] for p in BOTH)
        short = _pair(self.solver.sums[p] @ found.x[p] + missing[p] for p in BOTH)
        left = _pair(products[p] - at.s[p] * found.x[p] - at.x[p] * found.s[p] for p in BOTH)
        return found.plus(self._solve(still, short, _fixed(left)))

    def _solve(self, unfit: Pair, missing: Pair, products: Pair) -> _Point:
        at = self.at
        linear = _fixed(_pair(unfit[p] + products[p] / at.x[p] for p in BOTH))
        x, u = self.solver.newton.solve(linear, missing)
        s = _pair((products[p] - at.s[p] * x[p]) / at.x[p] for p in BOTH)
        return _Point(x, _fixed(s), u)

    def recenter(self, found: _Point, lengths: tuple[float, float], goal: Pair) -> _Point:
        """A correction that brings stray products, after a longer step, back to the path."""
        primal, dual = (min(1.0, STRETCH * length + 0.1) for length in lengths)
        products = self.at.moved(found, primal, dual).products
        wanted = _pair(np.clip(products[p], NEAR * goal[p], goal[p] / NEAR) for p in BOTH)
        change = _pair(np.maximum(wanted[p] - products[p], -goal[p] / NEAR) for p in BOTH)
        return self.direction(_fixed(change), residuals=False)

    def lengths(self, by: _Point) -> tuple[float, float]:
        """How far a direction may be followed: player 0's plan, and player 1's."""
        at = self.at
        plans = [_reach(at.x[p], by.x[p]) for p in BOTH]
        slacks = [_reach(at.s[p], by.s[p]) for p in BOTH]
        return min(plans[0], slacks[1]), min(plans[1], slacks[0])


def _reach(value: Floats, change: Floats) -> float:
    falling = change[1:] < 0
    return float((value[1:][falling] / -change[1:][falling]).min(initial=np.inf))


def _sums(street: Street, player: int) -> sparse.csr_matrix:
    """Each decision's actions less the sequence that leads to it: [D, S]."""
    D, actions = len(street.first[player]), np.array(street.actions[player])
    rows = np.concatenate([np.repeat(np.arange(D), actions), np.arange(D)])
    columns = np.concatenate([np.arange(1, street.size[player]), street.parent[player]])
    signs = np.concatenate([np.ones(actions.sum()), -np.ones(D)])
    return sparse.csr_matrix((signs, (rows, columns)), shape=(D, street.size[player]))


def _pair(parts: Iterable[Floats]) -> Pair:
    one, two = parts
    return one, two


def _fixed(parts: Pair) -> Pair:
    """A copy with 0 at sequence 0, which cannot change."""
    for part in parts:
        part[0] = 0
    return parts
