from __future__ import annotations

import io
import tarfile
import zipfile
from contextlib import ExitStack
from pathlib import Path

import pytest

from matrix.cli.sources import find_sources
from matrix.errors import InvalidInput

FILES = {"a/README.md": b"A", "b/README.md": b"B", ".git/config": b"hidden", "a/.secret": b"hidden"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_bytes(content)
    return tmp_path / "docs"


def found(given: Path) -> dict[str, bytes]:
    with ExitStack() as opened:
        return {source.name: source.file.read_bytes() for source in find_sources(str(given), opened)}


@pytest.mark.feature("A8")
def test_files_of_a_folder_are_named_from_it_and_hidden_ones_stay(folder: Path) -> None:
    assert found(folder) == {"a/README.md": b"A", "b/README.md": b"B"}
    assert found(folder / "a" / "README.md") == {"README.md": b"A"}


def test_archives_are_as_folders(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "docs.zip", "w") as archive:
        for name in FILES:
            archive.write(folder / name, name)
    with tarfile.open(tmp_path / "docs.tar.gz", "w:gz") as archive:
        archive.add(folder, ".")
    for name in ("docs.zip", "docs.tar.gz"):
        assert found(tmp_path / name) == {"a/README.md": b"A", "b/README.md": b"B"}


def test_no_file_of_an_archive_is_left_out_for_its_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        for name in ("Report..final.txt", "Wait... what.txt", "../up.txt", "/abs.txt", "a/../b.txt"):
            archive.writestr(name, name)
    assert found(tmp_path / "odd.zip") == {
        "Report..final.txt": b"Report..final.txt",
        "Wait... what.txt": b"Wait... what.txt",
        "abs.txt": b"/abs.txt",
        "a/b.txt": b"a/../b.txt",
        "up.txt": b"../up.txt",
    }
    assert not (tmp_path.parent / "up.txt").exists()


def test_an_archive_that_leads_out_of_its_folder_is_refused(tmp_path: Path) -> None:
    member = tarfile.TarInfo("../outside.txt")
    member.size = 1
    with tarfile.open(tmp_path / "bad.tar", "w") as archive:
        archive.addfile(member, io.BytesIO(b"x"))
    with pytest.raises(InvalidInput, match=r"bad\.tar"):
        found(tmp_path / "bad.tar")
    assert not list(tmp_path.rglob("outside.txt"))


def test_what_is_not_there_or_damaged_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.zip").write_bytes(b"not a zip")
    for name in ("bad.zip", "missing.pdf"):
        with pytest.raises(InvalidInput, match=name):
            found(tmp_path / name)
