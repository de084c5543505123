"""What `matrix ingest` was given, as single files with the names that their documents get."""

from __future__ import annotations

import shutil
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from matrix.errors import InvalidInput

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


@dataclass(frozen=True, slots=True)
class Source:
    """`name` is relative to what was given, so that two README.md never replace each other."""

    name: str
    file: Path


def find_sources(given: str, opened: ExitStack) -> Iterator[Source]:
    """The files of a file, folder or archive; hidden ones are left out. What is unpacked goes when `opened` closes.

    Errors: InvalidInput.
    """
    path = Path(given)
    if path.is_dir():
        yield from _within(path)
    elif not path.is_file():
        raise InvalidInput(f"There is no file or folder {given}.", field="sources", advice="Check the path.")
    elif path.name.lower().endswith(ARCHIVES):
        yield from _within(_unpacked(path, opened))
    else:
        yield Source(path.name, path)


def _within(folder: Path) -> Iterator[Source]:
    for file in sorted(folder.rglob("*")):
        relative = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in relative.parts):
            yield Source(relative.as_posix(), file)


def _unpacked(archive: Path, opened: ExitStack) -> Path:
    folder = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="matrix-ingest-")))
    try:
        if archive.suffix.lower() == ".zip":
            with zipfile.ZipFile(archive) as members:
                members.extractall(folder)  # noqa: S202  # names that lead out of the folder lose what leads there
        else:
            shutil.unpack_archive(archive, folder, filter="data")  # no member may lead out of the folder
    except (
        tarfile.TarError,
        shutil.ReadError,
        zipfile.BadZipFile,
        RuntimeError,
        ValueError,
        EOFError,
        OSError,
    ) as error:
        raise InvalidInput(
            f"{archive.name} cannot be unpacked: {error}.", field="sources", advice="Unpack it, then name the folder."
        ) from None
    return folder
