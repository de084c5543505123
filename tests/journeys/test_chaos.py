"""Worker, API and database are killed at random points of an ingestion; what comes out is the graph of a clean run.

Each round ingests the same files, then changed ones, into a corpus of its own, and compares that with the first
corpus, which nobody disturbed. `MATRIX_CHAOS_ROUNDS` says how many (6; `make chaos` 30), `MATRIX_CHAOS_SEED` repeats
what was printed. Embeddings are made up, by a server that speaks OpenAI's format: what is tested here is the graph.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from matrix.cli.children import MOST_RESTARTS, RESTART_WINDOW
from matrix.errors import DatabaseUnavailable
from matrix.graph.database import Database, open_database
from tests.journeys.matrix_up import PROGRAM, MatrixUp, matrix_up
from tests.journeys.same_graph import orphans, told, undone_jobs
from tests.wire_servers.openai import OpenAiServer

T = TypeVar("T")
ROUNDS = int(os.environ.get("MATRIX_CHAOS_ROUNDS", "6"))
SEED = int(os.environ.get("MATRIX_CHAOS_SEED", str(random.SystemRandom().randrange(10**6))))
MANUAL = Path(__file__).parents[2] / "matrix" / "cli" / "demo" / "first" / "service-manual.pdf"
SETTLED_SECONDS = 300

pytestmark = [pytest.mark.chaos, pytest.mark.feature("B7"), pytest.mark.timeout(600 + 300 * ROUNDS)]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MatrixUp]:
    """With short leases, so that what a killed worker held is soon taken up."""
    with OpenAiServer() as vectors:
        vectors.dimensions = 16
        settings = {
            "MATRIX_EMBEDDER__PROVIDER": "openai",
            "MATRIX_EMBEDDER__MODEL": "made-up",
            "MATRIX_EMBEDDER__DIMENSIONS": "16",
            "OPENAI_API_KEY": "none",
            "OPENAI_BASE_URL": vectors.base_url,
            "MATRIX_WORKER__LEASE_SECONDS": "4",
            "MATRIX_WORKER__HEARTBEAT_SECONDS": "1",
            "MATRIX_WORKER__POLL_SECONDS": "0.1",
        }
        with matrix_up(tmp_path_factory.mktemp("chaos"), "--no-demo", **settings) as started:
            started.until_said("Matrix is ready")
            yield started


@pytest.fixture(scope="module")
async def graph(up: MatrixUp) -> AsyncIterator[Database]:
    neo4j = up.run["neo4j"]
    async with open_database(neo4j["bolt"], neo4j["user"], neo4j["password"]) as database:
        yield database


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two folders: the files, and the same with some of them changed."""
    first, then = tmp_path_factory.mktemp("files") / "first", tmp_path_factory.mktemp("files") / "then"
    for folder, word in ((first, "cold"), (then, "warm")):
        (folder / "notes").mkdir(parents=True)
        (folder / "long.md").write_text(_long_text("cold", changed=37 if folder == then else None))
        (folder / "notes" / "short.txt").write_text(f"The store is {word}.\n")
        (folder / "notes" / "page.html").write_text(f"<h1>Stores</h1><p>They are {word} in winter.</p>" * 30)
        (folder / "manual.pdf").write_bytes(MANUAL.read_bytes())
    return first, then


async def test_kills_at_random_points_leave_the_graph_of_a_clean_run(
    up: MatrixUp, graph: Database, editions: tuple[Path, Path]
) -> None:
    sys.stderr.write(f"\nMATRIX_CHAOS_SEED={SEED}\n")
    chance, killer = random.Random(SEED), Killer(up)
    begun = time.monotonic()
    await ingest(up, "calm", editions)
    usual = time.monotonic() - begun
    await settled(graph)
    calm = await told(graph, "calm")
    assert calm["corpus"][0]["chunks"] == calm["corpus"][0]["chunksThere"] > 50
    assert [version["number"] for version in calm["versions"]] == [1, 2, 1, 1, 2, 1, 2]

    for number in range(ROUNDS):
        part = ("worker", "api", "database")[number % 3]
        await killer.ready_for(part)
        delay = chance.uniform(0, 0.8 * usual)  # the first one was slow: nothing was planned or cached yet
        sys.stderr.write(f"round {number}: {part} after {delay:.2f} of {usual:.2f} s\n")
        work = asyncio.create_task(ingest(up, f"round-{number}", editions))
        await asyncio.sleep(delay)
        killer.kill(part)
        await work
        await settled(graph)
        assert await patiently(partial(told, graph, f"round-{number}")) == calm, f"round {number}, seed {SEED}"
    assert await patiently(lambda: orphans(graph)) == []


class Killer:
    """Kills a part of a running Matrix, but never so often that `up` would give it up."""

    def __init__(self, up: MatrixUp) -> None:
        self._up = up
        self._deaths: dict[str, list[float]] = {}

    async def ready_for(self, part: str) -> psutil.Process:
        while True:
            recent = [at for at in self._deaths.get(part, []) if time.monotonic() - at < RESTART_WINDOW + 1]
            parts = self._up.parts()
            if part in parts and len(recent) < MOST_RESTARTS:
                return parts[part]
            assert self._up.process.poll() is None, self._up.said()
            await asyncio.sleep(0.2)

    def kill(self, part: str) -> None:
        process = self._up.parts().get(part)
        if process is not None:
            process.kill()
            self._deaths.setdefault(part, []).append(time.monotonic())


async def ingest(up: MatrixUp, key: str, editions: tuple[Path, Path]) -> None:
    """Both editions by the command line, one after the other."""
    for edition in editions:
        process = await asyncio.create_subprocess_exec(
            *(*PROGRAM, "ingest", str(edition), "-k", key, "--create", "--wait"),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=up.environment,
            cwd=up.folder,
        )
        said, _ = await process.communicate()
        assert process.returncode == 0, f"{said.decode()}\n{up.told()}"


async def settled(graph: Database) -> None:
    """Nothing is left to do, and the counts of corpora are written."""
    until = time.monotonic() + SETTLED_SECONDS
    while await patiently(lambda: undone_jobs(graph)) or not await patiently(lambda: _counted(graph)):
        assert time.monotonic() < until, "jobs are left undone"
        await asyncio.sleep(0.3)


async def _counted(graph: Database) -> bool:
    rows = await graph.read(
        "MATCH (k:Knowledge) WHERE coalesce(k.chunkCount, 0) <> COUNT { MATCH (c:KnowledgeChunk {scopeId: k.id}) "
        "WHERE EXISTS { (c)<-[:HAS_CHUNK]-()<-[:LIVE]-() } } RETURN k.key AS key"
    )
    return not rows


async def patiently(work: Callable[[], Awaitable[T]]) -> T:
    """What it gives once the database is back."""
    until = time.monotonic() + SETTLED_SECONDS
    while True:
        try:
            return await work()
        except DatabaseUnavailable:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.5)


def _long_text(word: str, changed: int | None) -> str:
    """Some eighty passages; one paragraph of the second edition is another."""
    paragraphs = []
    for number in range(160):
        said = "wet" if number == changed else word
        heading = f"## Part {number // 10}\n\n" if number % 10 == 0 else ""
        paragraphs.append(f"{heading}Store {number} is {said}. " + f"It stands in street {number * 7}. " * 25)
    return "# Stores\n\n" + "\n\n".join(paragraphs) + "\n"
