"""The commands: what each takes and does. Answers about nodes are in `answers`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from endspiel import __version__
from endspiel.betting.lines import parse_line
from endspiel.betting.menu import StreetMenu
from endspiel.betting.rake import Rake
from endspiel.cards.text import parse_board
from endspiel.errors import EndspielError
from endspiel.games.spot import load_spot
from endspiel.reading import read_text
from endspiel.solvers.boards.store import STORAGES
from endspiel.solving.solution_files import load_solution, save_solution
from endspiel.solving.spots import TREE_LIMIT
from endspiel.upi import answers, locking
from endspiel.upi.background import BackgroundSolve, RunLimits
from endspiel.upi.session import Answer, SessionTree, UpiSession
from endspiel.upi.setup import POSITIONS, TreeSetup, position, read_range

MANY = 10_000_000
INFO: Final = "info"  # where a solution's parameters keep the lines of add_info_line


@dataclass(frozen=True)
class UpiCommand:
    """What a command does with its words, and how many of them it takes."""

    work: Callable[[UpiSession, list[str]], Answer]
    usage: str = ""  # the words, for a message
    least: int = 0
    most: int = 0

    def __call__(self, session: UpiSession, words: list[str]) -> Answer:
        """Do it, or say what it takes."""
        if not self.least <= len(words) <= self.most:
            wanted = f"it takes {self.usage}" if self.usage else "it takes nothing"
            raise EndspielError(f"{len(words)} words are given; {wanted}")
        return self.work(session, words)


def _whole(word: str, what: str, least: int = 0) -> int:
    if not (word.isascii() and word.isdigit() and len(word) <= 12 and int(word) >= least):
        raise EndspielError(f"{what} is {word[:20]!r}; it is a whole number, {least} or more")
    return int(word)


def _number(word: str, what: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise EndspielError(f"{what} is {word[:20]!r}; it is a number, 0 or more")
    return value


# The session itself.


def _exit(session: UpiSession, words: list[str]) -> Answer:
    session.over = True
    return None


def _set_end_string(session: UpiSession, words: list[str]) -> Answer:
    session.end = words[0] if words else ""
    return None


def _load_script(session: UpiSession, words: list[str]) -> Answer:
    for line in _script(session, words[0]):
        session.answer(line)
    session.scripts.pop()
    return None


def _load_script_silent(session: UpiSession, words: list[str]) -> Answer:
    """One answer for a whole file: the first error, if there is one."""
    errors = []
    for number, line in enumerate(_script(session, words[0]), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            _, answer = session.execute(line)
            if answer and answer[0].startswith("ERROR"):
                errors.append(f"ERROR: {words[0]}, line {number}: {answer[0][7:]}")
            session.do_the_rest()
    session.scripts.pop()
    return errors[:1] or None


def _script(session: UpiSession, path: str) -> list[str]:
    lines = read_text(path).splitlines()
    if path in session.scripts:
        raise EndspielError(f"{path} reads itself")
    session.scripts.append(path)
    return lines


def _help(session: UpiSession, words: list[str]) -> Answer:
    """What a command takes, or every command."""
    names = words or list(COMMANDS)
    if not COMMANDS.keys() >= set(names):
        raise EndspielError(f"there is no command {words[0][:40]!r}")
    return [f"{name}: it takes {COMMANDS[name].usage or 'nothing'}" for name in names]


# Before a tree is built.


def _set_board(session: UpiSession, words: list[str]) -> Answer:
    session.setup.board = tuple(parse_board("".join(words)))
    return None


def _set_range(session: UpiSession, words: list[str]) -> Answer:
    session.setup.ranges[position(words[0])] = read_range(words[1:])
    return None


def _set_pot(session: UpiSession, words: list[str]) -> Answer:
    chips = [_whole(word, "the pot") for word in words]
    if any(chips[:-1]):
        raise EndspielError(
            f"{chips[0]} and {chips[1]} chips were put in before the root: give 0 0 and a pot "
            "with them"
        )
    session.setup.pot = _whole(words[-1], "the pot", 1)
    return None


def _set_eff_stack(session: UpiSession, words: list[str]) -> Answer:
    session.setup.stack = _whole(words[0], "the stack", 1)
    return None


def _set_rake(session: UpiSession, words: list[str]) -> Answer:
    """No share of 1 or more can be taken, so such a number is in percent."""
    share = _number(words[0].removesuffix("%"), "the rake")
    share /= 100 if share >= 1 or words[0].endswith("%") else 1
    session.setup.rake = Rake(share, *(_number(word, "the cap") for word in words[1:]))
    return None


def _add_line(session: UpiSession, words: list[str]) -> Answer:
    line = parse_line(" ".join(words))
    if line not in session.setup.lines:
        session.setup.lines.append(line)
    return None


def _remove_line(session: UpiSession, words: list[str]) -> Answer:
    line = parse_line(" ".join(words))
    if line not in session.setup.lines:
        raise EndspielError(f"no line {' '.join(words)!r} was added")
    session.setup.lines.remove(line)
    return None


def _clear_lines(session: UpiSession, words: list[str]) -> Answer:
    session.setup.lines.clear()
    return None


def _set_bet_sizes(session: UpiSession, words: list[str]) -> Answer:
    session.setup.set_menu(words[0], StreetMenu.parse(*words[1:]))
    return None


def _clear_bet_sizes(session: UpiSession, words: list[str]) -> Answer:
    session.setup.clear_menus()
    return None


def _load_spot(session: UpiSession, words: list[str]) -> Answer:
    session.setup = TreeSetup.of(load_spot(words[0]))
    return None


# Settings.


def _set_threads(session: UpiSession, words: list[str]) -> Answer:
    session.settings.threads = _whole(words[0], "the number of threads")
    return None


def _set_storage(session: UpiSession, words: list[str]) -> Answer:
    if words[0].lower() not in ("auto", *map(str, STORAGES)):
        raise EndspielError(f"storage is 16 or 32 bits, or auto, not {words[0][:20]!r}")
    session.settings.storage = None if words[0].lower() == "auto" else int(words[0])
    return None


def _set_accuracy(session: UpiSession, words: list[str]) -> Answer:
    unit = words[1].lower() if len(words) > 1 else "chips"
    if unit not in ("chips", "fraction"):
        raise EndspielError(f"no unit {words[1][:20]!r}: an accuracy is in chips or a fraction")
    session.settings.accuracy = _number(words[0], "the accuracy")
    session.settings.in_chips = unit == "chips"
    return None


def _set_isomorphism(session: UpiSession, words: list[str]) -> Answer:
    switches = [_whole(word, "a switch") for word in words]
    session.settings.symmetry = any(switches)
    return None


def _set_info_freq(session: UpiSession, words: list[str]) -> Answer:
    session.settings.info_every = _whole(words[0], "the number of steps")
    return None


def _accept(session: UpiSession, words: list[str]) -> Answer:
    """Settings of what is not done here: saved trees are whole, nothing is solved again."""
    for word in words:
        _number(word, "a setting")
    return None


# Trees and solves.


def _build_tree(session: UpiSession, words: list[str]) -> Answer:
    session.check_idle()
    spot = session.setup.spot()
    betting = spot.tree(TREE_LIMIT)
    solve = BackgroundSolve(spot, session.settings.options(), session.tell)
    session.take_tree(SessionTree(spot, betting, solve))
    return None


def _go(session: UpiSession, words: list[str]) -> Answer:
    """The answer is written before the solve begins."""
    session.check_idle()
    tree = session.the_tree()
    if tree.solve is None:
        raise EndspielError(
            "this tree was loaded: a file keeps strategies, not what learning needs; build_tree "
            "solves it again"
        )
    tree.solve.every = session.settings.info_every
    session.later.append(partial(tree.solve.start, _limits(session, words)))
    return None


def _limits(session: UpiSession, words: list[str]) -> RunLimits:
    """What the words of `go` ask for, as in ``100 steps`` or ``5 seconds``."""
    target = session.settings.target(session.the_tree().spot.pot)
    if not words:
        return RunLimits(target)
    unit = words[1] if len(words) > 1 else "steps"
    if unit not in ("steps", "seconds"):
        raise EndspielError(f"no unit {unit[:20]!r}: go takes a number of steps or of seconds")
    if unit == "seconds":
        return RunLimits(target, seconds=_number(words[0], "the time"))
    return RunLimits(target, steps=_whole(words[0], "the number of steps"))


def _stop(session: UpiSession, words: list[str]) -> Answer:
    tree = session.the_tree()
    if tree.solve is not None:
        tree.solve.stop()
    return None


def _wait_for_solver(session: UpiSession, words: list[str]) -> Answer:
    tree = session.the_tree()
    if tree.solve is not None:
        tree.solve.wait()
    return None


def _load_tree(session: UpiSession, words: list[str]) -> Answer:
    session.check_idle()
    if words[1:] and words[1] not in ("full", "fast", "auto"):
        raise EndspielError(f"no way {words[1][:20]!r} to load: full, fast or auto")
    found = load_solution(words[0])
    session.setup = TreeSetup.of(found.spot)
    session.take_tree(SessionTree(found.spot, found.game.betting, loaded=found))
    session.info = [str(line) for line in found.parameters.get(INFO, [])]
    return None


def _dump_tree(session: UpiSession, words: list[str]) -> Answer:
    if words[1:] and words[1] != "full":
        raise EndspielError(f"no save {words[1][:20]!r}: files here are whole (full)")
    solution = session.the_tree().solution
    kept = replace(solution, parameters=solution.parameters | {INFO: list(session.info)})
    save_solution(Path(words[0]), kept)
    return None


def _free_tree(session: UpiSession, words: list[str]) -> Answer:
    session.check_idle()
    session.the_tree()
    session.free_tree()
    return None


def _solver_time(session: UpiSession, words: list[str]) -> Answer:
    tree = session.the_tree()
    return [f"{tree.solve.seconds if tree.solve else tree.solution.seconds:.3f}"]


def _is_tree_present(session: UpiSession, words: list[str]) -> Answer:
    return ["false" if session.tree is None else "true"]


# Information lines.


def _add_info_line(session: UpiSession, words: list[str]) -> Answer:
    session.info.append(" ".join(words))
    return None


def _reset_tree_info(session: UpiSession, words: list[str]) -> Answer:
    session.info.clear()
    return None


def _show_tree_info(session: UpiSession, words: list[str]) -> Answer:
    return answers.tree_info(session.the_tree().spot, session.info)


def _show_metadata(session: UpiSession, words: list[str]) -> Answer:
    found = load_solution(words[0])
    return answers.tree_info(found.spot, [str(line) for line in found.parameters.get(INFO, [])])


_NODE = "a node, as r:0:c:b50"
_WHO = f"a position ({' or '.join(POSITIONS)}) and a node"
COMMANDS: Final[dict[str, UpiCommand]] = {
    "is_ready": UpiCommand(lambda session, words: None),
    "exit": UpiCommand(_exit),
    "set_end_string": UpiCommand(_set_end_string, "a word", 1, 1),
    "reset_end_string": UpiCommand(_set_end_string),
    "help": UpiCommand(_help, "a command, or nothing", 0, 1),
    "echo": UpiCommand(lambda session, words: [" ".join(words)], "anything", 0, MANY),
    "show_version": UpiCommand(lambda session, words: [f"endspiel {__version__}"]),
    "load_script": UpiCommand(_load_script, "a file", 1, 1),
    "load_script_silent": UpiCommand(_load_script_silent, "a file", 1, 1),
    "set_board": UpiCommand(_set_board, "cards", 1, 5),
    "set_range": UpiCommand(_set_range, "a position and 1326 weights or a range", 2, MANY),
    "set_pot": UpiCommand(_set_pot, "0 0 POT, or POT", 1, 3),
    "set_eff_stack": UpiCommand(_set_eff_stack, "chips", 1, 1),
    "set_rake": UpiCommand(_set_rake, "a share (0.05, 5 or 5%) and a cap in chips", 1, 2),
    "add_line": UpiCommand(_add_line, "chips of each action", 1, MANY),
    "remove_line": UpiCommand(_remove_line, "a line that was added", 1, MANY),
    "clear_lines": UpiCommand(_clear_lines),
    "set_bet_sizes": UpiCommand(_set_bet_sizes, 'a street, "bets", "raises" and "donks"', 2, 4),
    "clear_bet_sizes": UpiCommand(_clear_bet_sizes),
    "load_spot": UpiCommand(_load_spot, "a spot file", 1, 1),
    "set_threads": UpiCommand(_set_threads, "a number, 0 for all", 1, 1),
    "set_storage": UpiCommand(_set_storage, "16 or 32 bits, or auto", 1, 1),
    "set_accuracy": UpiCommand(_set_accuracy, "a number, and chips or fraction", 1, 2),
    "set_isomorphism": UpiCommand(_set_isomorphism, "switches", 1, 2),
    "set_info_freq": UpiCommand(_set_info_freq, "steps, 0 for none", 1, 1),
    "set_recalc_accuracy": UpiCommand(_accept, "three numbers", 1, 3),
    "set_always_recalc": UpiCommand(_accept, "two numbers", 1, 2),
    "build_tree": UpiCommand(_build_tree),
    "go": UpiCommand(_go, "nothing, or a number of steps or seconds", 0, 2),
    "stop": UpiCommand(_stop),
    "wait_for_solver": UpiCommand(_wait_for_solver),
    "load_tree": UpiCommand(_load_tree, "a file", 1, 2),
    "dump_tree": UpiCommand(_dump_tree, "a file", 1, 2),
    "dump": UpiCommand(_dump_tree, "a file", 1, 2),
    "free_tree": UpiCommand(_free_tree),
    "is_tree_present": UpiCommand(_is_tree_present),
    "solver_time": UpiCommand(_solver_time),
    "add_info_line": UpiCommand(_add_info_line, "a text", 1, MANY),
    "reset_tree_info": UpiCommand(_reset_tree_info),
    "show_tree_info": UpiCommand(_show_tree_info),
    "show_metadata": UpiCommand(_show_metadata, "a file", 1, 1),
    "show_hand_order": UpiCommand(lambda session, words: answers.hand_order()),
    "show_effective_stack": UpiCommand(answers.effective_stack),
    "show_all_lines": UpiCommand(answers.lines),
    "show_node": UpiCommand(answers.node, _NODE, 1, 1),
    "show_children": UpiCommand(answers.children, _NODE, 1, 1),
    "show_strategy": UpiCommand(answers.strategy, _NODE, 1, 1),
    "set_strategy": UpiCommand(locking.set_strategy, "a node and its probabilities", 2, MANY),
    "lock_node": UpiCommand(locking.lock_node, _NODE, 1, 1),
    "unlock_node": UpiCommand(locking.unlock_node, _NODE, 1, 1),
    "show_range": UpiCommand(answers.node_range, _WHO, 1, 2),
    "calc_ev": UpiCommand(answers.ev, _WHO, 2, 2),
    "calc_eq": UpiCommand(answers.equity_of_setup, "a position", 1, 1),
    "calc_eq_node": UpiCommand(answers.equity, _WHO, 2, 2),
    "calc_global_freq": UpiCommand(answers.frequency, _NODE, 1, 1),
    "calc_results": UpiCommand(answers.results),
}
