"""Where long work is done, as a user says it: processes of this machine, or a Ray cluster."""

import re
from dataclasses import dataclass

from endspiel.errors import EndspielError
from endspiel.processors import processors

LOCAL_RAY = "local"
AUTO = "auto"
_REMOTE = re.compile(r"ray://[^\s:/]+:\d{1,5}")
_MOST = 4096  # processes of one machine; a larger number is a slip of the finger


@dataclass(frozen=True)
class WorkerChoice:
    """A number of processes, or a cluster that knows its own number."""

    processes: int = 1
    address: str = ""  # of Ray: "local" starts one here, "auto" takes this machine's, else ray://


GivenWorkers = int | str | WorkerChoice | None


def parse_workers(given: GivenWorkers) -> WorkerChoice:
    """What ``--workers`` says: 4, ray, auto or ray://HOST:PORT; by default all cores.

    Examples:
        >>> parse_workers("4")
        WorkerChoice(processes=4, address='')
        >>> parse_workers("ray").address
        'local'
    """
    if given is None:
        return WorkerChoice(processors())
    if isinstance(given, WorkerChoice):
        return given
    text = str(given).strip()
    if text == "ray":
        return WorkerChoice(address=LOCAL_RAY)
    if text == AUTO or (_REMOTE.fullmatch(text) and int(text.rpartition(":")[2]) < 1 << 16):
        return WorkerChoice(address=text)
    if re.fullmatch(r"[0-9]{1,4}", text) and 1 <= int(text) <= _MOST:
        return WorkerChoice(int(text))
    raise EndspielError(
        f"workers are a number of processes from 1 to {_MOST}, ray, auto or ray://HOST:PORT, "
        f"not {text[:40]!r}"
    )
