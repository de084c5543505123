"""What a person reads: progress that works with and without a terminal, JSON on request, errors with their remedy."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from matrix.errors import InvalidInput, MatrixError

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


class Steps:
    """One step at a time: a bar in a terminal, a line at its beginning and end elsewhere."""

    def __init__(self) -> None:
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeElapsedColumn(),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task: TaskID | None = None
        self._step = ""

    def begin(self, step: str, total: int | None) -> None:
        self._step = step
        if not err.is_terminal:
            err.print(f"{step} …", markup=False)
        self._bar.start()
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._task = self._bar.add_task(step, total=total)

    def advance(self, amount: int) -> None:
        if self._task is not None:
            self._bar.advance(self._task, amount)

    def finish(self) -> None:
        self._bar.stop()
        if self._task is not None:
            self._bar.remove_task(self._task)
            self._task = None
        if err.is_terminal:
            err.print(f"[green]✓[/green] {self._step}")


def print_json(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


@contextmanager
def explained(as_json: bool = False) -> Iterator[None]:
    """Errors as a sentence with its remedy; exit 2 for wrong use, 1 for all else."""
    try:
        yield
    except MatrixError as error:
        if as_json:
            print_json({"error": error.message, "code": error.code, "advice": error.advice})
        else:
            err.print(f"[red]{_plain(error.message)}[/red]")
            if error.advice:
                err.print(_plain(error.advice))
        raise typer.Exit(2 if isinstance(error, InvalidInput) else 1) from None


def _plain(text: str) -> str:
    return text.replace("[", "\\[")
