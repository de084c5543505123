from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from matrix.cli import children
from matrix.cli.children import Child, ChildFailed

PARKED = """
from matrix.cli.lifeline import await_opening
print("parked", flush=True)
print(await_opening(), flush=True)
import time; time.sleep(60)
"""
UP = """
import asyncio, os, sys
from pathlib import Path
from matrix.cli.children import Child
from matrix.cli.lifeline import opening_line

async def main():
    child = Child("child", [sys.executable, "-c", sys.argv[1]], Path(sys.argv[2]), dict(os.environ), parked=True)
    await child.start()
    if sys.argv[3] == "released":
        child.release(opening_line({"uri": "bolt://x"}))
    print(child.process.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def child(tmp_path: Path, program: str, *, parked: bool = False) -> Child:
    command = [sys.executable, "-c", program]
    return Child("worker", command, tmp_path / "log", dict(os.environ), parked=parked, pause=0.01)


async def until_it_says(one: Child, words: str) -> None:
    while words not in one.last_words():  # noqa: ASYNC110  # another process writes them
        await asyncio.sleep(0.02)


@pytest.mark.feature("A6")
async def test_a_child_that_dies_is_started_again_and_given_up_at_last(tmp_path: Path) -> None:
    mortal = child(tmp_path, "print('last words', flush=True); raise SystemExit(3)")
    await mortal.start()
    with pytest.raises(ChildFailed) as caught:
        await mortal.keep_running()
    assert "4 times within a minute" in caught.value.message
    assert "last words" in caught.value.advice
    assert mortal.log.read_text().count("last words") == 4


async def test_a_child_that_said_why_it_ended_is_believed(tmp_path: Path) -> None:
    said = '{"error": "The database is newer.", "code": "schema_mismatch", "advice": "Take a newer Matrix."}'
    honest = child(tmp_path, f"print('noise'); print({said!r}); raise SystemExit(1)")
    await honest.start()
    assert honest.process is not None
    await honest.process.wait()
    failure = honest.failure("It ended.")
    assert (failure.message, failure.code) == ("The database is newer.", "schema_mismatch")
    assert failure.advice == "Take a newer Matrix."


async def test_a_child_that_ignores_the_signal_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "STOP_SECONDS", 0.3)
    program = "import signal,time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    stubborn = child(tmp_path, program)
    await stubborn.start()
    await until_it_says(stubborn, "up")
    await stubborn.stop()
    assert stubborn.process is not None
    assert not psutil.pid_exists(stubborn.process.pid)


async def test_a_child_that_is_stopped_stays_stopped(tmp_path: Path) -> None:
    patient = child(tmp_path, "import time; time.sleep(60)")
    await patient.start()
    running = asyncio.create_task(patient.keep_running())
    await patient.stop()
    await asyncio.wait_for(running, 5)


async def test_a_parked_child_waits_for_its_opening_and_gets_it_again_after_a_death(tmp_path: Path) -> None:
    parked = child(tmp_path, PARKED, parked=True)
    await parked.start()
    await until_it_says(parked, "parked")
    assert "bolt" not in parked.last_words()
    parked.release('{"neo4j": {"uri": "bolt://x"}}\n')
    await until_it_says(parked, "bolt://x")
    running = asyncio.create_task(parked.keep_running())
    first = parked.process
    assert first is not None
    first.kill()
    while parked.process is first:  # noqa: ASYNC110  # restarted when its end was noticed
        await asyncio.sleep(0.02)
    await until_it_says(parked, "bolt://x")
    await parked.stop()
    await running


@pytest.mark.feature("A6")
@pytest.mark.parametrize("state", ["parked", "released"])
def test_kill_9_of_up_leaves_no_child(tmp_path: Path, state: str) -> None:
    command = [sys.executable, "-c", UP, PARKED, str(tmp_path / "log"), state]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as up:
        assert up.stdout is not None
        pid = int(up.stdout.readline())
        awaited = "bolt://x" if state == "released" else "parked"
        while awaited not in (tmp_path / "log").read_text():
            time.sleep(0.05)
        up.kill()
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait(timeout=20)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


async def test_a_log_that_grew_large_makes_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "LOG_BYTES", 10)
    (tmp_path / "log").write_text("old words of another day")
    fresh = child(tmp_path, "print('new')")
    await fresh.start()
    assert fresh.process is not None
    await fresh.process.wait()
    assert fresh.log.read_text() == "new\n"
    assert (tmp_path / "log.previous.log").read_text().startswith("old words")
