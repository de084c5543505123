"""`matrix up` as a process, as a person starts it: in a folder of its own, on free ports, without a terminal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import psutil

PROGRAM = (sys.executable, "-m", "matrix.cli.main")
FOREIGN = ("MATRIX_", "NEO4J_", "GEMINI_", "OPENAI_")
PATIENCE = 300
"""Seconds for what takes twelve on an idle machine."""


@dataclass(eq=False)
class MatrixUp:
    """A started `matrix up`; what it prints is in `output`."""

    folder: Path
    environment: dict[str, str]
    process: subprocess.Popen[bytes]
    output: Path

    def said(self) -> str:
        return self.output.read_text(encoding="utf-8")

    def until_said(self, words: str) -> str:
        """All that was said when these words came. Fails when it ends before, or takes too long."""
        until = time.monotonic() + PATIENCE
        while words not in self.said():
            assert self.process.poll() is None, self.told()
            assert time.monotonic() < until, self.told()
            time.sleep(0.1)
        return self.said()

    def told(self) -> str:
        """What it said, and the ends of its children's logs: for a failed test."""
        logs = sorted((self.folder / "data" / "logs").glob("*.log"))
        ends = [f"--- {log.name}\n" + "\n".join(log.read_text().splitlines()[-15:]) for log in logs]
        return "\n".join([self.said(), *ends])

    @property
    def run(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.folder / "data" / "run.json").read_text())
        return found

    def cli(self, *words: str, stdin: str = "", code: int = 0) -> str:
        """What `matrix …` prints, its errors last. Fails unless it exits with `code`."""
        done = self._called(words, stdin, code)
        return done.stdout + done.stderr if code else done.stdout

    def cli_json(self, *words: str, stdin: str = "", code: int = 0) -> Any:
        return json.loads(self._called((*words, "--json"), stdin, code).stdout)

    def _called(self, words: tuple[str, ...], stdin: str, code: int) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            (*PROGRAM, *words),
            input=stdin,
            capture_output=True,
            text=True,
            env=self.environment,
            cwd=self.folder,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    @contextmanager
    def api(self) -> Iterator[httpx2.Client]:
        run = self.run
        headers = {"Authorization": f"Bearer {run['apiKey']}"}
        base = f"{run['url']}/api/orgs/{run['org']}"
        with httpx2.Client(base_url=base, headers=headers, timeout=120, trust_env=False) as client:
            yield client

    def parts(self) -> dict[str, psutil.Process]:
        """The processes that `up` keeps running: api, worker, database."""
        found = {}
        for child in psutil.Process(self.process.pid).children():
            words = child.cmdline()
            for part, word in (("api", "serve"), ("worker", "worker"), ("database", "--console-mode")):
                if word in words:
                    found[part] = child
        return found

    def stop(self, number: signal.Signals = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def matrix_up(folder: Path, *options: str, **settings: str) -> Iterator[MatrixUp]:
    """Data in `folder`/data. Killed at the end when it was not stopped, and then nothing may be left."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    environment = {**kept, "MATRIX_DATA_DIR": str(folder / "data"), **settings}
    folder.mkdir(exist_ok=True)
    output = folder / "up.txt"
    with output.open("wb") as out:
        process = subprocess.Popen(
            (*PROGRAM, "up", "--port", "0", *options),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
        )
    up = MatrixUp(folder, environment, process, output)
    try:
        yield up
    finally:
        parts = list(up.parts().values()) if process.poll() is None else []
        process.kill()
        process.wait()
        _, left = psutil.wait_procs(parts, timeout=30)
        assert not left, f"left running: {left}"


def processes_of(folder: Path) -> list[psutil.Process]:
    """Whatever still runs for this data folder."""
    name = str(folder / "data")
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and (
                any(name in word for word in process.cmdline()) or process.environ().get("MATRIX_DATA_DIR") == name
            ):
                found.append(process)
        except psutil.Error:
            continue
    return found


def left_after(folder: Path, seconds: float = 30) -> list[psutil.Process]:
    """What does not end by itself: a process on its way out is still listed for a moment."""
    return psutil.wait_procs(processes_of(folder), timeout=seconds)[1]
