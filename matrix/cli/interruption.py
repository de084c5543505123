"""Ctrl-C and its like: the first cancels what runs, so that all of it stops in order; the second ends it at once."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AT_ONCE = 130  # what a shell says of a program that Ctrl-C ended


@dataclass(eq=False)
class Interruption:
    """Whether somebody asked for the end."""

    asked: bool = False


@contextmanager
def interruptible(say: Callable[[], None], kill: Callable[[], None]) -> Iterator[Interruption]:
    """The current task is cancelled by the first signal; at the second `kill` is called and the process ends.

    `say` tells the person that the first one was heard.
    """
    task, loop, heard = asyncio.current_task(), asyncio.get_running_loop(), Interruption()
    assert task is not None

    def hear() -> None:
        if heard.asked:
            kill()
            os._exit(AT_ONCE)
        heard.asked = True
        say()
        task.cancel()

    for number in SIGNALS:
        loop.add_signal_handler(number, hear)
    try:
        yield heard
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)
