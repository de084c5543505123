from __future__ import annotations

import errno
import json

import pytest
import typer

from matrix.cli.console import Steps, explained, explained_to_parent
from matrix.errors import InvalidSettings, MatrixError


@pytest.mark.feature("A8")
def test_steps_without_a_terminal_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    steps = Steps()
    steps.begin("Fetching Neo4j", 200_000_000)
    for _ in range(4):
        steps.advance(50_000_000)
    steps.finish()
    steps.begin("Starting Neo4j", None)
    steps.finish()
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "Fetching Neo4j …"
    assert lines[-2:] == ["  200 of 200 MB", "Starting Neo4j …"]
    assert len(lines) == 6


def test_a_long_download_says_ten_lines_and_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    steps = Steps(counted=True)
    steps.begin("Processing", 1000)
    for _ in range(1000):
        steps.advance(1)
    assert capsys.readouterr().err.splitlines()[1:] == [f"  {done} of 1000" for done in range(100, 1001, 100)]


@pytest.mark.parametrize(
    ("error", "code"),
    [(MatrixError("It broke.", code="broken", advice="Mend it."), 1), (InvalidSettings("It is wrong."), 2)],
)
def test_errors_are_a_sentence_and_a_remedy_or_json(
    capsys: pytest.CaptureFixture[str], error: MatrixError, code: int
) -> None:
    with pytest.raises(typer.Exit) as left, explained():
        raise error
    assert left.value.exit_code == code
    assert capsys.readouterr().err.splitlines() == [error.message, error.advice]
    with pytest.raises(typer.Exit), explained(as_json=True):
        raise error
    said = json.loads(capsys.readouterr().out)
    assert said == {"error": error.message, "code": error.code, "advice": error.advice}


def test_a_full_disk_is_no_riddle(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), explained():
        raise OSError(errno.ENOSPC, "No space left on device", "/data/x")
    assert capsys.readouterr().err.splitlines() == [
        "No space left on device: /data/x",
        "Free some disk space, then try again.",
    ]


def test_what_nobody_foresaw_keeps_its_details() -> None:
    with pytest.raises(OSError, match="odd"), explained():
        raise OSError(errno.EIO, "odd")


def test_a_child_tells_its_parent_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), explained_to_parent():
        raise MatrixError("Two\nlines.", code="c", advice="a")
    assert json.loads(capsys.readouterr().err.splitlines()[-1]) == {"error": "Two\nlines.", "code": "c", "advice": "a"}
