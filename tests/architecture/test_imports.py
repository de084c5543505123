"""Who may import whom. Lazy imports and TYPE_CHECKING ones count."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SERVICES = {"ingest", "retrieval", "answer", "agents"}
COMMON = {"domain", "errors", "ports"}
MAY_IMPORT: dict[str, set[str]] = {
    "errors": set(),
    "domain": {"errors"},
    "settings": {"errors"},
    "ports": {"domain", "errors"},
    "ingest": COMMON,
    "retrieval": COMMON,
    "answer": COMMON | {"retrieval"},
    "agents": COMMON | {"retrieval", "answer"},
    "graph": COMMON,
    "plugins": COMMON,
    "local_neo4j": COMMON,
    "api": COMMON | SERVICES | {"settings"},
    "wiring": COMMON | SERVICES | {"settings", "graph", "plugins", "local_neo4j"},
    "cli": {"wiring", "settings", "api", "domain", "errors"},
}
ONLY_IN: dict[str, set[str]] = {
    "neo4j": {"graph"},
    "fastapi": {"api"},
    "starlette": {"api"},
    "strawberry": {"api"},
    "google": {"plugins"},
    "openai": {"plugins"},
    "onnxruntime": {"plugins"},
    "tokenizers": {"plugins"},
    "pdfminer": {"plugins"},
    "pypdfium2": {"plugins"},
    "selectolax": {"plugins"},
    "obstore": {"plugins"},
    "jgo": {"local_neo4j"},
    "typer": {"cli"},
    "rich": {"cli"},
}
CYPHER = ("MATCH (", "MERGE (", "UNWIND $", "DETACH DELETE")


def part_of(path: Path) -> str:
    return path.relative_to(ROOT / "matrix").parts[0].removesuffix(".py")


def modules() -> list[Path]:
    return sorted((ROOT / "matrix").rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_follow_the_table(path: Path) -> None:
    part = part_of(path)
    if part == "__init__":
        return
    assert part in MAY_IMPORT, f"{part} is not in the import table"
    for name in imported(path):
        head, _, rest = name.partition(".")
        if head == "matrix":
            other = rest.split(".")[0]
            if not other:
                continue  # the package itself, for where it lies
            assert other in MAY_IMPORT[part] | {part, "__version__"}, f"{part} may not import {name}"
        elif head in ONLY_IN:
            assert part in ONLY_IN[head], f"{head} belongs to {ONLY_IN[head]}, not to {part}"


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_cypher_lives_in_the_graph_alone(path: Path) -> None:
    if part_of(path) == "graph":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            assert not any(word in node.value for word in CYPHER), f"Cypher in {path.relative_to(ROOT)}"


def test_every_part_of_the_table_is_there() -> None:
    assert {part_of(path) for path in modules()} - {"__init__"} == set(MAY_IMPORT)
