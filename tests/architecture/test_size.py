"""Modules stay small enough to be read in one go."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = 300


@pytest.mark.parametrize(
    "path", sorted((ROOT / "matrix").rglob("*.py")), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_no_module_is_longer_than_300_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST
