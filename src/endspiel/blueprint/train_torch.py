"""The trainers on a GPU: the iterations of `train` and of EGT in PyTorch, never required."""

from typing import Any

import numpy as np

from endspiel.blueprint.torch_plex import TorchGame, TorchPlex, require_device
from endspiel.engine.schemes import Scheme
from endspiel.game import Exploitability, Game, Profile
from endspiel.kernels.arrays import Discounts, Floats
from endspiel.kernels.regrets import add_advantages, add_plans, decision_values, shares
from endspiel.solvers.boards.array_libraries import Tensor, load_torch
from endspiel.solvers.firstorder.egt import EGT, VECTORS

# Learning keeps regrets, averages, the best of these, behavior and plan and works on gradients,
# reaches of terminals and what these earn; measuring has two plans of averages in place of those.
CFR_VECTORS = 11


class TorchLearner:
    """One player's regrets, current play and average."""

    def __init__(self, plex: TorchPlex) -> None:
        self.plex = plex
        self.regret, self.average = plex.zeros(), plex.zeros()
        self.behavior = plex.uniform()
        self.plan = plex.walk_down(self.behavior)
        self.kept: Tensor | None = None  # the average that was best so far

    def learn(self, gradient: Tensor, discounts: Discounts) -> None:
        """One iteration: average, regrets, new behavior and plan."""
        add_plans(self.average, self.plan, discounts)
        for batch in reversed(self.plex.batches):
            gain, share = batch.of(gradient), batch.of(self.behavior)
            value = decision_values(gain, share)
            self.plex.pass_up(batch, value, gradient)
            gain -= value
            regret = batch.of(self.regret)
            add_advantages(regret, gain, discounts)
            share.copy_(shares(regret + discounts.predict * gain if discounts.predict else regret))
        self.plex.fill_plan(self.behavior, self.plan)

    def probabilities(self, first: int, num_actions: int, states: int) -> Floats:
        """The average's probabilities [A, K] at the block that begins at a sequence."""
        street = self.plex.street_of(first)
        rows = self.plex.places(first + states * np.arange(num_actions), street)
        weights = self.plex.street(self.average, street)[load_torch().as_tensor(rows)]
        found: Floats = shares(weights).cpu().numpy()
        return found


class TorchTrainer:
    """A running training on a GPU by any scheme of the family; as `train.Trainer`."""

    def __init__(self, game: Game, scheme: Scheme, device: str = "cuda") -> None:
        require_device(game, device, CFR_VECTORS, 4)
        self.game, self.scheme, self.iteration = game, scheme, 0
        self._torch = TorchGame(game, device, load_torch().float32)
        one, two = self._torch.plexes
        self.learners = TorchLearner(one), TorchLearner(two)

    def step(self) -> None:
        """One iteration: the players learn one after the other."""
        discounts = self.scheme.at(self.iteration + 1)
        for player, own in enumerate(self.learners):
            own.learn(self._torch.gradient(player, self.learners[1 - player].plan), discounts)
        self.iteration += 1

    def exploitability(self) -> Exploitability:
        """Both best responses to the averages, in chips."""
        best, value = [], 0.0
        for player, own in enumerate(self.learners):
            gradient = self._torch.gradient(player, self._average_plan(1 - player))
            if player == 0:
                value = _dot(own.plex, self._average_plan(0), gradient)
            best.append(own.plex.at_roots(own.plex.best_up(gradient)))
        return Exploitability(value, (best[0], best[1]), self.game.unit)

    def _average_plan(self, player: int) -> Tensor:
        own = self.learners[player]
        plan = own.plex.behavior(own.average)
        own.plex.fill_plan(plan, plan)
        return plan

    def keep(self) -> None:
        """Keep the averages as they are."""
        for own in self.learners:
            if own.kept is None:
                own.kept = load_torch().empty_like(own.average)
            own.kept.copy_(own.average)

    def fall_back(self) -> None:
        """Take the averages that were kept; learning ends here."""
        for own in self.learners:
            own.average = own.average if own.kept is None else own.kept

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays in the game's order."""
        arrays: dict[str, Any] = {"iteration": np.array([self.iteration])}
        for player, own in enumerate(self.learners):
            arrays[f"regret{player}"] = own.plex.export(own.regret)
            arrays[f"average{player}"] = own.plex.export(own.average)
            arrays[f"behavior{player}"] = own.plex.export(own.behavior)
            if own.kept is not None:
                arrays[f"kept{player}"] = own.plex.export(own.kept)
        return arrays

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"][0])
        for player, own in enumerate(self.learners):
            own.regret = own.plex.take(arrays[f"regret{player}"])
            own.average = own.plex.take(arrays[f"average{player}"])
            own.behavior = own.plex.take(arrays[f"behavior{player}"])
            kept = arrays.get(f"kept{player}")
            own.kept = None if kept is None else own.plex.take(kept)
            own.plex.fill_plan(own.behavior, own.plan)


class TorchEGT(EGT):
    """A running solve by EGT on a GPU, in 64-bit floats; the same steps, up to rounding."""

    def __init__(self, game: Game, device: str = "cuda") -> None:
        require_device(game, device, VECTORS, 8)
        on_device = TorchGame(game, device, load_torch().float64)
        self._plexes = on_device.plexes
        super().__init__(on_device)  # type: ignore[arg-type]

    def average(self) -> Profile:
        """The pair with the smallest duality gap so far: the solution."""
        behavior = super().average().behavior
        one, two = (plex.export(own) for plex, own in zip(self._plexes, behavior, strict=True))
        return Profile((one, two))

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays in the game's order."""
        arrays = super().state()
        for name, plex in self._vectors():
            arrays[name] = plex.export(arrays[name])
        if self._reply is not None:
            arrays["reply"] = self._plexes[1 - self._player].export(self._reply)
        return arrays

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        here = dict(arrays)
        for name, plex in self._vectors():
            here[name] = plex.take(arrays[name])
        if len(arrays["reply"]):
            player = int(arrays["counts"][-1])
            here["reply"] = self._plexes[1 - player].take(arrays["reply"])
        super().restore(here)

    def _vectors(self) -> list[tuple[str, TorchPlex]]:
        """Names of the vectors of a state, and whose sequences they are over."""
        return [
            (f"{name}{player}", plex)
            for name in ("plan", "gradient", "best", "center")
            for player, plex in enumerate(self._plexes)
        ]


def _dot(plex: TorchPlex, plan: Tensor, gradient: Tensor) -> float:
    """Sum of products, row by row in 32 bits and over the rows in 64."""
    products = plan * gradient
    streets = (plex.street(products, street) for street in range(len(plex.starts)))
    return sum(float(rows.sum(dim=1).double().sum()) for rows in streets)
