"""The exploitability that a solve aims at, with its unit in the value: ``0.3%``, ``1mbb``."""

import re
from math import isfinite
from typing import Final

import typer

from endspiel.bounds import MOST_UNITS, Units
from endspiel.cli.usage import WrongUnit

_WRITTEN: Final = re.compile(r"\s*([^\s%a-zA-Z]+(?:[eE][+-]?\d+)?)\s*(%|[a-zA-Z]+)?\s*")


class Amount(float):
    """A number in a command's bare unit, which remembers the unit that was written."""

    unit: str = ""


class TargetReader:
    """Reads one option's value; bounds are in the bare unit."""

    __name__ = "float"  # the kind of value, for help and checks
    min, max = 0.0, MOST_UNITS

    def __init__(self, units: Units) -> None:
        self.units = units

    def __call__(self, text: str | float) -> Amount:
        """Return the amount; ValueError for what is no number within the bounds."""
        if isinstance(text, float | int):  # a default
            return Amount(text)
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise ValueError(text)
        number, unit = found.groups()
        amount = Amount(float(number) * self._factor(unit, text))
        if not (isfinite(amount) and self.min <= amount <= self.max):
            raise ValueError(text)
        amount.unit = unit or ""
        return amount

    def _factor(self, unit: str | None, text: str) -> float:
        if unit is None:
            return 1.0
        if unit not in self.units.factors:
            raise WrongUnit(f"{self.units}, not {text!r}")
        return self.units.factors[unit]


def target_option(units: Units, use: str, default: str = "") -> typer.models.OptionInfo:
    """Return the ``--target`` option of a command; the help states the units."""
    reader = TargetReader(units)
    metavar = f"NUMBER[{'|'.join(units.factors)}]"
    ends = f" Default {default}." if default else ""
    text = f"{use}: {units}.{ends}"
    option: typer.models.OptionInfo = typer.Option(
        "--target", parser=reader, metavar=metavar, help=text, show_default=False
    )
    return option


def unit_of(target: float | None) -> str:
    """Return the unit that was written after a target, if any."""
    return target.unit if isinstance(target, Amount) else ""
