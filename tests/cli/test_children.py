from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from matrix.cli.children import Child, ChildGaveUp
from matrix.cli.data_folder import is_alive


def child(tmp_path: Path, program: str) -> Child:
    return Child("worker", [sys.executable, "-c", program], tmp_path / "log", dict(os.environ), pause=0.01)


@pytest.mark.feature("A6")
async def test_a_child_that_dies_is_started_again_and_given_up_at_last(tmp_path: Path) -> None:
    mortal = child(tmp_path, "print('last words', flush=True); raise SystemExit(3)")
    await mortal.start()
    with pytest.raises(ChildGaveUp) as caught:
        await mortal.keep_running()
    assert "4 times within a minute" in caught.value.message
    assert "last words" in caught.value.advice
    assert mortal.last_words().count("last words") == 4


async def test_a_child_that_ignores_the_signal_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("matrix.cli.children.STOP_SECONDS", 0.3)
    stubborn = child(
        tmp_path, "import signal,time; signal.signal(15, signal.SIG_IGN); print('up', flush=True); time.sleep(60)"
    )
    await stubborn.start()
    while "up" not in stubborn.last_words():
        await asyncio.sleep(0.02)
    await stubborn.stop()
    assert stubborn.process is not None
    assert not is_alive(stubborn.process.pid)


async def test_a_child_that_is_stopped_stays_stopped(tmp_path: Path) -> None:
    patient = child(tmp_path, "import time; time.sleep(60)")
    await patient.start()
    running = asyncio.create_task(patient.keep_running())
    await patient.stop()
    await asyncio.wait_for(running, 5)
