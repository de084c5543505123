"""What a benchmark hands to the runner."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One figure. `met` None: it is reported and has no goal."""

    what: str
    measured: str
    goal: str = ""
    met: bool | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The figures of one run, and sentences about how they came about."""

    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """`scale` shrinks corpora while a benchmark is being written: only 1 counts. `chunks` are those really embedded."""

    scale: float = 1.0
    chunks: int = 1000
    minutes: float = 3.0

    def scaled(self, number: int, least: int = 1) -> int:
        return max(least, round(number * self.scale))


def at_most(what: str, ratio: float, goal: float, shown: str = "") -> Row:
    """A ratio that should not be above its goal."""
    return Row(what, f"{ratio:.2f}x{f' ({shown})' if shown else ''}", f"<= {goal:g}x", ratio <= goal)


def at_least(what: str, value: float, goal: float, shown: str = "") -> Row:
    return Row(what, f"{value:.3f}{f' ({shown})' if shown else ''}", f">= {goal:g}", value >= goal)


def percentile(values: Sequence[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]
