"""A connection to Ray, which is an extra: started here, found on this machine, or far away."""

import importlib
import logging
import os
import socket
from typing import Any, Final

from endspiel import __version__
from endspiel.errors import EndspielError
from endspiel.executor.choice import LOCAL_RAY
from endspiel.executor.tasks import TaskNeeds
from endspiel.interrupts import sigterm_kept
from endspiel.processors import processors

_SETTINGS: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",  # no usage report is sent
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # tasks that ask for no GPU leave all as it is
    "RAY_worker_niceness": "0",  # else all others on the machine come before its workers
    "RAY_agent_register_timeout_ms": "600000",  # a busy machine takes long to start a node
}

_ANSWER_SECONDS: Final = 5.0


class RayCluster:
    """A cluster of Ray; one that this process was connected to already is left connected."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.ray = load_ray()
        self._ours = not self.ray.is_initialized()
        if self._ours:
            self._connect()
        elif "://" in address:
            raise EndspielError(
                f"not {address}: this process is connected to another Ray cluster already"
            )

    def _connect(self) -> None:
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        local = {"address": LOCAL_RAY, "num_cpus": processors(), "include_dashboard": False}
        where = local if self.address == LOCAL_RAY else {"address": self.address}
        try:
            _check_port(self.address)
            with sigterm_kept():
                self.ray.init(**where, **quiet)
        except Exception as error:  # whatever Ray raises, and it has many kinds, says why
            asked = "Ray does not start" if where is local else f"no Ray at {self.address}"
            raise EndspielError(f"{asked}: {_one_line(error)}") from error

    @property
    def is_client(self) -> bool:
        """Whether this process is a client of a cluster elsewhere, which can do less."""
        return bool(self.ray.util.client.ray.is_connected())

    @property
    def cores(self) -> int:
        """Processors of all nodes that are there now."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 0)))

    def gpus(self) -> int:
        """Graphics processors of all nodes that are there now."""
        return int(self.ray.cluster_resources().get("GPU", 0))

    def check(self, needs: TaskNeeds) -> None:
        """Refuse what no node that is there could ever do: Ray would wait for one without end."""
        nodes = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        able = [
            node for node in nodes if node.get("CPU", 0) >= 1 and node.get("GPU", 0) >= needs.gpus
        ]
        if not able:
            wanted = f"{needs.gpus} GPU and a free core" if needs.gpus else "a core"
            raise EndspielError(f"no node of the Ray cluster has {wanted}")
        most = max(node.get("memory", 0) for node in able)
        if needs.memory_bytes > most:
            raise EndspielError(
                f"a task needs {needs.memory_bytes:,} bytes and no node of the Ray cluster has "
                f"more than {int(most):,}"
            )

    def close(self) -> None:
        """Leave the cluster, and end one that was started here."""
        if self._ours:
            self.ray.shutdown()


def _check_port(address: str) -> None:
    """Refuse a cluster elsewhere that does not answer: Ray would try for half a minute."""
    if "://" in address:
        host, _, port = address.partition("://")[2].rpartition(":")
        with socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS):
            pass


def load_ray() -> Any:
    """The library, or a sentence that says how to get it."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise EndspielError(
            "Ray is not installed: pip install 'endspiel[ray]', or take a number of workers"
        ) from error


def check_version(of_driver: str) -> None:
    """Refuse to work for another version, whose results may differ."""
    if of_driver != __version__:
        raise EndspielError(
            f"the cluster has endspiel {__version__} and this machine {of_driver}: install one "
            "version everywhere"
        )


def _one_line(error: Exception) -> str:
    """What an error says first, and last where the first line only announces a traceback."""
    lines = (str(error).strip() or type(error).__name__).splitlines()
    return f"{lines[0]} {lines[-1]}" if len(lines) > 1 and lines[0].endswith(":") else lines[0]
