"""Commands that ask a running Matrix load nothing of what it is made of."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("matrix.wiring", "matrix.api", "matrix.graph", "matrix.plugins", "neo4j", "uvicorn", "fastapi", "onnxruntime")


@pytest.mark.feature("A8")
def test_the_command_line_starts_light() -> None:
    program = "import sys, matrix.cli.main; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "matrix.cli.ask" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_so_does_the_process_that_watches_over_the_others() -> None:
    program = "import sys, matrix.cli.supervisor; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint({"uvicorn", "fastapi", "onnxruntime", "openai", "matrix.plugins"})
