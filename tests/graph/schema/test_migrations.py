"""Migrations on a real database: once, in order, by one process at a time, and whole again after a crash."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from neo4j.exceptions import Neo4jError

from matrix.errors import SchemaMismatch
from matrix.graph.database import Database
from matrix.graph.schema import migration_lock
from matrix.graph.schema.folder import schema_folder
from matrix.graph.schema.migrations import (
    applied_migrations,
    migrate,
    pending_migrations,
    read_migrations,
    statements_of,
)

pytestmark = pytest.mark.feature("A9")
FIRST, SECOND, THIRD = 9001, 9002, 9003


@pytest.fixture
async def folder(database: Database, tmp_path: Path) -> AsyncIterator[Path]:
    """The real migrations and room for more; what a test applied is forgotten afterwards."""
    known = {migration.number for migration in read_migrations()}
    shutil.copytree(schema_folder() / "migrations", tmp_path, dirs_exist_ok=True)
    yield tmp_path
    await database.write("MATCH (m:Migration) WHERE NOT m.number IN $known DETACH DELETE m", known=sorted(known))
    await database.write("MATCH (n:MigrationProbe) DETACH DELETE n")


def add(folder: Path, number: int, *statements: str) -> Path:
    path = folder / f"{number}_probe.cypher"
    path.write_text("// a probe;\n" + ";\n".join(statements) + ";\n", encoding="utf-8")
    return path


def probe(text: str) -> str:
    return f"MERGE (n:MigrationProbe {{id: '{text}'}}) ON CREATE SET n.times = 1 ON MATCH SET n.times = n.times + 1"


async def times(database: Database) -> dict[str, int]:
    rows = await database.read("MATCH (n:MigrationProbe) RETURN n.id AS id, n.times AS times")
    return {row["id"]: row["times"] for row in rows}


async def test_pending_files_are_applied_once_and_recorded(database: Database, folder: Path) -> None:
    add(folder, FIRST, probe("a"), probe("b"))
    assert [m.number for m in await pending_migrations(database, folder)] == [FIRST]
    assert [m.number for m in await migrate(database, folder)] == [FIRST]
    assert await migrate(database, folder) == ()
    assert await pending_migrations(database, folder) == ()
    assert await times(database) == {"a": 1, "b": 1}
    assert (await applied_migrations(database))[FIRST].name == f"{FIRST}_probe"


async def test_they_run_in_order_of_their_numbers(database: Database, folder: Path) -> None:
    for number in (THIRD, FIRST, SECOND):
        add(
            folder,
            number,
            f"MERGE (n:MigrationProbe {{id: 'order'}}) SET n.times = coalesce(n.times, 0) * 10 + {number - 9000}",
        )
    await migrate(database, folder)
    assert await times(database) == {"order": 123}


async def test_two_starts_at_once_apply_a_file_once(database: Database, folder: Path) -> None:
    add(folder, FIRST, probe("once"), "UNWIND range(1, 20000) AS i WITH count(i) AS n RETURN n")
    done = await asyncio.gather(*(migrate(database, folder) for _ in range(4)))
    assert sorted(len(applied) for applied in done) == [0, 0, 0, 1]
    assert await times(database) == {"once": 1}


async def test_a_crash_in_the_middle_runs_the_file_again(database: Database, folder: Path) -> None:
    broken = add(folder, FIRST, probe("before"), "THIS IS NOT CYPHER", probe("after"))
    with pytest.raises(Neo4jError):
        await migrate(database, folder)
    assert FIRST not in await applied_migrations(database)
    assert await times(database) == {"before": 1}
    broken.unlink()
    add(folder, FIRST, probe("before"), probe("after"))
    await migrate(database, folder)
    assert await times(database) == {"before": 2, "after": 1}


async def test_the_lock_of_a_killed_process_runs_out(database: Database, folder: Path) -> None:
    await database.write(migration_lock.TAKE_MIGRATION_LOCK, holder="killed", seconds=1)
    add(folder, FIRST, probe("late"))
    assert len(await migrate(database, folder)) == 1


async def test_a_held_lock_keeps_others_out(database: Database, folder: Path) -> None:
    add(folder, FIRST, probe("held"))
    async with migration_lock.holding_migration_lock(database):
        waiting = asyncio.create_task(migrate(database, folder))
        await asyncio.sleep(1)
        assert not waiting.done()
        assert await times(database) == {}
    assert len(await waiting) == 1


async def test_a_changed_file_stops_the_start(database: Database, folder: Path) -> None:
    path = add(folder, FIRST, probe("a"))
    await migrate(database, folder)
    path.write_text(path.read_text() + probe("b") + ";\n", encoding="utf-8")
    with pytest.raises(SchemaMismatch, match=str(FIRST)) as caught:
        await migrate(database, folder)
    assert "new file" in caught.value.advice
    assert await times(database) == {"a": 1}


async def test_line_endings_are_no_change(database: Database, folder: Path) -> None:
    path = add(folder, FIRST, probe("a"))
    await migrate(database, folder)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert await migrate(database, folder) == ()


async def test_a_newer_database_stops_the_start(database: Database, folder: Path) -> None:
    path = add(folder, FIRST, probe("a"))
    await migrate(database, folder)
    path.unlink()
    with pytest.raises(SchemaMismatch, match="newer"):
        await pending_migrations(database, folder)


def test_misnamed_files_and_shared_numbers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "0001_a.cypher").write_text("RETURN 1;")
    (tmp_path / "0001_b.cypher").write_text("RETURN 1;")
    with pytest.raises(SchemaMismatch, match="0001_b"):
        read_migrations(tmp_path)
    (tmp_path / "0001_b.cypher").rename(tmp_path / "second.cypher")
    with pytest.raises(SchemaMismatch, match="second"):
        read_migrations(tmp_path)


def test_statements_end_with_a_semicolon_at_the_end_of_a_line() -> None:
    text = "// no; statement;\nCREATE (n {a: ';'})\n  RETURN n;\n\n  // more;\nRETURN 2;   \nRETURN 3"
    assert statements_of(text) == ("CREATE (n {a: ';'})\n  RETURN n", "RETURN 2", "RETURN 3")


async def test_every_real_statement_may_run_twice(database: Database) -> None:
    for migration in read_migrations():
        for statement in migration.statements:
            await database.change_schema(statement)
