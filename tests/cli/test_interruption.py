from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PROGRAM = """
import asyncio
from matrix.cli.interruption import interruptible

def say(words):
    return lambda: print(words, flush=True)

async def main():
    with interruptible(say("stopping"), say("killing")) as heard:
        try:
            print("running", flush=True)
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            print("asked", heard.asked, flush=True)
            await asyncio.sleep(60 * SLOW)
            print("stopped in order", flush=True)

asyncio.run(main())
"""


@contextmanager
def running(*, slow: bool) -> Iterator[subprocess.Popen[str]]:
    program = PROGRAM.replace("SLOW", str(int(slow)))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "running\n"
            yield process
        finally:
            process.kill()


@pytest.mark.feature("A6")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_stops_in_order(number: signal.Signals) -> None:
    with running(slow=False) as process:
        process.send_signal(number)
        said, _ = process.communicate(timeout=60)
    assert said.splitlines() == ["stopping", "asked True", "stopped in order"]
    assert process.returncode == 0


@pytest.mark.feature("A6")
def test_the_second_ends_it_at_once() -> None:
    with running(slow=True) as process:
        assert process.stdout is not None
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "stopping\n"
        assert process.stdout.readline() == "asked True\n"
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate(timeout=60)
    assert said.splitlines() == ["killing"]
    assert process.returncode == 130
