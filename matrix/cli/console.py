"""What a person reads: progress that works with and without a terminal, JSON on request, errors with their remedy."""

from __future__ import annotations

import errno
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from matrix.errors import InvalidInput, MatrixError

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class Steps:
    """One step at a time: a bar in a terminal; elsewhere a line when it begins and one for each tenth of it.

    What has a total counts bytes, or with `counted` things.
    """

    def __init__(self, *, counted: bool = False) -> None:
        self._counted = counted
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._step = ""
        self._total: int | None = None
        self._done = 0

    def begin(self, step: str, total: int | None) -> None:
        self.abandon()
        self._step, self._total, self._done = step, total, 0
        if err.is_terminal:
            amount = MofNCompleteColumn() if self._counted else DownloadColumn()
            done = () if total is None else (BarColumn(), amount)
            columns = (SpinnerColumn(), TextColumn("{task.description}"), *done, TimeElapsedColumn())
            self._bar = Progress(*columns, console=err, transient=True)
            self._task = self._bar.add_task(step, total=total)
            self._bar.start()
        else:
            err.print(f"{step} …", markup=False)

    def advance(self, amount: int) -> None:
        before, self._done = self._done, self._done + amount
        if self._bar is not None:
            self._bar.advance(self._task, amount)
        elif self._total and before * 10 // self._total != self._done * 10 // self._total:
            scale, unit = (1, "") if self._counted else (1e6, " MB")
            err.print(f"  {self._done / scale:.0f} of {self._total / scale:.0f}{unit}", markup=False)

    def finish(self) -> None:
        if self._bar is not None:
            self.abandon()
            err.print(f"[green]✓[/green] {self._step}")

    def abandon(self) -> None:
        """Leaves the terminal as it was, whatever became of the step."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def stopping(self) -> None:
        self.abandon()
        err.print("Stopping … (once more to stop at once)", markup=False)


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def tell_receipt(receipt: dict[str, Any], as_json: bool) -> None:
    """The receipt of a deletion, whole or by its id."""
    if as_json:
        print_json(receipt)
    else:
        out.print(f"Deleted; receipt {receipt['receiptId']}.", markup=False)


@contextmanager
def explained(as_json: bool = False) -> Iterator[None]:
    """Errors as a sentence with its remedy; exit 2 for wrong use, 1 for all else."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS):
            raise  # a fault of ours: with all its details
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        advice = "Free some disk space, then try again." if full else "Make it accessible to your account."
        _show(MatrixError(f"{error.strerror}: {error.filename}", code="disk", advice=advice), as_json)
        raise typer.Exit(1) from None
    except MatrixError as error:
        _show(error, as_json)
        raise typer.Exit(2 if isinstance(error, InvalidInput) else 1) from None


def _show(error: MatrixError, as_json: bool) -> None:
    if as_json:
        print_json({"error": error.message, "code": error.code, "advice": error.advice})
        return
    err.print(error.message, style="red", markup=False)
    if error.advice:
        err.print(error.advice, markup=False)


@contextmanager
def explained_to_parent() -> Iterator[None]:
    """The same for a child of `up`: one line of JSON at the end of its log, which `Child.failure` reads."""
    try:
        yield
    except MatrixError as error:
        line = json.dumps({"error": error.message, "code": error.code, "advice": error.advice})
        sys.stderr.write(line + "\n")
        raise typer.Exit(1) from None
