"""The trainer of `train` on a GPU: the whole iteration in PyTorch, which is never required.

Decisions of one player that stand at the same place of the order and have as many actions are one
batch [A, n, K], contiguous in an order of rows of its own; a street's rows are a matrix. States go
out and come in by the game's own order, so that a training begun on one device can go on on
another.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from endspiel.errors import EndspielError, GameError
from endspiel.game import Exploitability, Game, Matrix
from endspiel.games.product import Product
from endspiel.kernels.arrays import Floats, Ints
from endspiel.solvers.cfr import Scheme
from endspiel.solvers.memory import check_memory

try:
    torch: Any = import_module("torch")  # no types: most installations do without
except ImportError as error:
    raise EndspielError("--device cuda needs PyTorch: pip install 'endspiel[gpu]'") from error

Tensor = Any  # torch.Tensor
TINY = float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class _Batch:
    """Decisions of one player, n of them with A actions each, side by side on one street."""

    street: int
    first: int  # row where [A, n] rows begin
    num_actions: int
    parent: Tensor  # [n] row of the own sequence before
    enters: bool  # whether that is on the street before

    def view(self, rows: list[Tensor]) -> Tensor:
        """The batch's part [A, n, K] of a matrix a street."""
        count = len(self.parent)
        part = rows[self.street][self.first : self.first + self.num_actions * count]
        return part.view(self.num_actions, count, -1)


@dataclass(frozen=True)
class _Ends:
    """A group of terminals, seen by one player."""

    street: int
    matrix: Tensor  # [K, K] what the other's states pay, by the player's own
    stakes: Tensor  # [T, 1] in the player's own sign
    own: Tensor  # [T] row
    other: Tensor  # [T] row, of the other player's


class TorchLearner:
    """One player's batches, regrets, current play and average."""

    def __init__(self, game: Game, player: int, device: str) -> None:
        self.plex = game.plexes[player]
        where = _product(game)
        self.widths = [len(street[0].states) for street in where.streets]
        self.starts = [int(start[0]) for start in where.starts[player]]
        self.above = [
            torch.as_tensor(street[0].above, device=device) for street in where.streets
        ]  # [K] a street: each bucket's own on the street before
        self.order, self.batches = self._arrange(device)
        heights = [len(order) for order in self.order]
        self.regret, self.average, self.behavior, self.plan = (
            [
                torch.zeros(height, width, device=device)
                for height, width in zip(heights, self.widths, strict=True)
            ]
            for _ in range(4)
        )
        self.plan[0][0] = 1  # the roots
        for batch in self.batches:
            batch.view(self.behavior)[:] = 1 / batch.num_actions

    def _arrange(self, device: str) -> tuple[list[Ints], list[_Batch]]:
        """The game's row at each place of a street [rows], and the batches, parents first."""
        arrays = self.plex.arrays
        street = np.searchsorted(self.starts, arrays.first, side="right") - 1
        widths, starts = np.array(self.widths), np.array(self.starts)
        row = (arrays.first - starts[street]) // widths[street]
        enters = arrays.base < starts[street]
        above = street - enters
        parent = (arrays.base - starts[above]) // widths[above]
        ends = np.append(starts[1:], self.plex.num_sequences)
        depth_of = [np.zeros(n, np.int64) for n in (ends - starts) // widths]  # by game row
        depth = np.zeros(len(row), np.int64)
        for b in range(len(row)):  # parents come before children
            depth[b] = 0 if enters[b] else depth_of[street[b]][parent[b]] + 1
            depth_of[street[b]][row[b] : row[b] + arrays.actions[b]] = depth[b]
        keys = np.stack([street, depth, arrays.actions, enters], axis=1)
        kinds, kind = np.unique(keys, axis=0, return_inverse=True)
        order: list[list[Ints]] = [[] for _ in self.widths]
        order[0].append(np.zeros(1, np.int64))
        batches, places = [], [np.full(len(d), -1) for d in depth_of]
        places[0][0] = 0
        filled = [1] + [0] * (len(self.widths) - 1)
        for number, (at, _, num_actions, entering) in enumerate(kinds.tolist()):
            blocks = np.flatnonzero(kind.reshape(-1) == number)
            rows = (row[blocks] + np.arange(num_actions)[:, None]).reshape(-1)  # action by action
            before = places[at - 1 if entering else at][parent[blocks]]
            tensor = torch.as_tensor(before, device=device)
            batches.append(_Batch(at, filled[at], num_actions, tensor, bool(entering)))
            order[at].append(rows)
            places[at][rows] = filled[at] + np.arange(len(rows))
            filled[at] += len(rows)
        return [np.concatenate(rows) for rows in order], batches

    def places(self, sequences: Ints, street: int) -> Ints:
        """Rows [T] of the first of K sequences [T] on a street."""
        back = np.argsort(self.order[street])
        found: Ints = back[(sequences - self.starts[street]) // self.widths[street]]
        return found

    def export(self, rows: list[Tensor]) -> Floats:
        """A matrix a street as one vector [S] in the game's order."""
        out = np.empty(self.plex.num_sequences, np.float32)
        for street, matrix in enumerate(rows):
            start, size = self.starts[street], matrix.numel()
            out[start : start + size].reshape(matrix.shape)[self.order[street]] = matrix.cpu()
        return out

    def take(self, rows: list[Tensor], vector: Floats) -> None:
        """Fill a matrix a street from a vector [S] in the game's order."""
        for street, matrix in enumerate(rows):
            start, size = self.starts[street], matrix.numel()
            own = vector[start : start + size].reshape(matrix.shape)[self.order[street]]
            matrix.copy_(torch.as_tensor(own))

    def walk_down(self, behavior: list[Tensor], plan: list[Tensor]) -> None:
        """The plan of a behavior, a matrix a street each."""
        for batch in self.batches:
            if batch.enters:
                reach = plan[batch.street - 1][batch.parent][:, self.above[batch.street]]
            else:
                reach = plan[batch.street][batch.parent]
            torch.mul(batch.view(behavior), reach, out=batch.view(plan))

    def pass_up(self, batch: _Batch, value: Tensor, gradient: list[Tensor]) -> None:
        """Add the values [n, K] of a batch's states to the sequences before them."""
        target = batch.street
        if batch.enters:
            target -= 1
            summed = torch.zeros(len(value), self.widths[target], device=value.device)
            value = summed.index_add_(1, self.above[batch.street], value)
        gradient[target].index_add_(0, batch.parent, value)

    def learn(self, gradient: list[Tensor], by: Any) -> None:
        """One iteration: regrets, new behavior and plan, average."""
        for batch in reversed(self.batches):
            gain, share = batch.view(gradient), batch.view(self.behavior)
            value = (gain * share).sum(dim=0)
            self.pass_up(batch, value, gradient)
            gain -= value
            regret = batch.view(self.regret)
            regret.mul_(torch.where(regret > 0, by.positive, by.negative)).add_(gain)
            share.copy_((regret + by.predict * gain if by.predict else regret).clamp_min(0))
            _normalize(share)
        self.walk_down(self.behavior, self.plan)
        for average, plan in zip(self.average, self.plan, strict=True):
            average.mul_(by.average).add_(plan)

    def probabilities(self, first: int, num_actions: int, states: int) -> Floats:
        """The average's probabilities [A, K] at the block that begins at a sequence."""
        street = int(np.searchsorted(self.starts, first, side="right")) - 1
        sequences = first + states * np.arange(num_actions)
        share = self.average[street][torch.as_tensor(self.places(sequences, street))]
        _normalize(share)
        found: Floats = share.cpu().numpy()
        return found


def _normalize(share: Tensor) -> None:
    """Divide shares [A, ...] by their totals; uniform where these all but vanish."""
    total = share.sum(dim=0)
    known = total >= TINY
    share.mul_(torch.where(known, 1 / total.clamp_min(TINY), 0.0))
    share.add_(torch.where(known, 0.0, 1 / len(share)))


class TorchTrainer:
    """A running training on a GPU by any scheme of the family; as `train.Trainer`."""

    def __init__(self, game: Game, scheme: Scheme, device: str = "cuda") -> None:
        if device == "cuda" and not torch.cuda.is_available():
            raise EndspielError("there is no GPU that PyTorch can use; train with --device cpu")
        if device == "cuda":
            free, _ = torch.cuda.mem_get_info()
            what, advice = "training on the GPU", "take fewer buckets or fewer bets"
            check_memory(_bytes(game), free, what, advice)
        self.game, self.scheme, self.iteration = game, scheme, 0
        self.learners = TorchLearner(game, 0, device), TorchLearner(game, 1, device)
        matrices = {id(g.payoff): _matrix(g.payoff, device) for g in game.groups}
        self._ends = [
            [self._seen(group, player, matrices[id(group.payoff)]) for group in game.groups]
            for player in (0, 1)
        ]
        for own in self.learners:
            own.walk_down(own.behavior, own.plan)

    def _seen(self, group: Any, player: int, matrix: Tensor) -> _Ends:
        own, other = self.learners[player], self.learners[1 - player]
        seqs, others = (group.seqs0, group.seqs1)[:: 1 if player == 0 else -1]
        street = int(np.searchsorted(own.starts, seqs[0], side="right")) - 1
        stakes = group.stakes if player == 0 else -group.stakes
        device = matrix.device
        return _Ends(
            street,
            matrix.T if player == 0 else matrix,
            torch.as_tensor(stakes, dtype=torch.float32, device=device)[:, None],
            torch.as_tensor(own.places(seqs, street), device=device),
            torch.as_tensor(other.places(others, street), device=device),
        )

    def step(self) -> None:
        """One iteration: the players learn one after the other."""
        by = self.scheme.at(self.iteration + 1)
        for player, own in enumerate(self.learners):
            own.learn(self.gradient(player, self.learners[1 - player].plan), by)
        self.iteration += 1

    def gradient(self, player: int, plan: list[Tensor]) -> list[Tensor]:
        """What a player's sequences earn against the other's plan, a matrix a street."""
        out = [torch.zeros_like(rows) for rows in self.learners[player].plan]
        for ends in self._ends[player]:
            reach = plan[ends.street][ends.other] * ends.stakes
            out[ends.street].index_add_(0, ends.own, reach @ ends.matrix)
        return out

    def exploitability(self) -> Exploitability:
        """Both best responses to the averages, in chips."""
        best, value = [], 0.0
        for player, own in enumerate(self.learners):
            gradient = self.gradient(player, self._average_plan(1 - player))
            if player == 0:
                plan = self._average_plan(0)
                pairs = zip(plan, gradient, strict=True)
                value = sum(float((x * g).sum(dim=1).double().sum()) for x, g in pairs)
            for batch in reversed(own.batches):
                own.pass_up(batch, batch.view(gradient).amax(dim=0), gradient)
            best.append(float(gradient[0][0].double().sum()))
        return Exploitability(value, (best[0], best[1]), self.game.unit)

    def _average_plan(self, player: int) -> list[Tensor]:
        own = self.learners[player]
        behavior = [average.clone() for average in own.average]
        for batch in own.batches:
            _normalize(batch.view(behavior))
        plan = [torch.empty_like(average) for average in own.average]
        plan[0][0] = 1
        own.walk_down(behavior, plan)
        return plan

    def state(self) -> dict[str, Any]:
        """Everything needed to go on later, as arrays in the game's order."""
        arrays: dict[str, Any] = {"iteration": np.array([self.iteration])}
        for player, own in enumerate(self.learners):
            arrays[f"regret{player}"] = own.export(own.regret)
            arrays[f"average{player}"] = own.export(own.average)
            arrays[f"behavior{player}"] = own.export(own.behavior)
        return arrays

    def restore(self, arrays: dict[str, Any]) -> None:
        """Go on from a state."""
        self.iteration = int(arrays["iteration"][0])
        for player, own in enumerate(self.learners):
            own.take(own.regret, arrays[f"regret{player}"])
            own.take(own.average, arrays[f"average{player}"])
            own.take(own.behavior, arrays[f"behavior{player}"])
            own.walk_down(own.behavior, own.plan)


def _bytes(game: Game) -> int:
    """Memory that a training takes on the device: matrices, and at most ten vectors a player.

    Learning keeps regrets, averages, behavior and plan and works on gradients, reaches of terminals
    and what these earn; measuring has two plans of averages in place of the last.
    """
    entries = {id(group.payoff): np.size(_entries(group.payoff)) for group in game.groups}
    return 4 * (sum(entries.values()) + 10 * sum(plex.num_sequences for plex in game.plexes))


def _product(game: Game) -> Product:
    if not isinstance(game.nodes, Product):
        raise GameError(f"{game.name} is no product of a betting tree and buckets")
    return game.nodes


def _entries(payoff: Any) -> Any:
    """The matrix [K, K] of a payoff."""
    if not isinstance(payoff, Matrix):
        raise GameError("buckets need payoffs by matrix")
    return payoff.matrix


def _matrix(payoff: Any, device: str) -> Tensor:
    return torch.as_tensor(_entries(payoff).astype(np.float32), device=device)
