"""The Neo4j that tests run against: one of its own in a temporary folder, or the empty one named by
MATRIX_TEST_NEO4J_URI (with MATRIX_TEST_NEO4J_USERNAME and MATRIX_TEST_NEO4J_PASSWORD)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from matrix.graph.database import open_database


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    uri: str
    username: str
    password: str


@asynccontextmanager
async def running_neo4j(folder: Path) -> AsyncIterator[Neo4jServer]:
    """A server for as long as the context lasts."""
    uri = os.environ.get("MATRIX_TEST_NEO4J_URI")
    if uri:
        yield await _empty_server(uri)
        return
    async with _stopgap(folder) as server:
        yield server


async def _empty_server(uri: str) -> Neo4jServer:
    server = Neo4jServer(
        uri, os.environ.get("MATRIX_TEST_NEO4J_USERNAME", "neo4j"), os.environ.get("MATRIX_TEST_NEO4J_PASSWORD", "")
    )
    async with open_database(server.uri, server.username, server.password) as database:
        row = await database.read_one("MATCH (n) RETURN count(n) AS nodes")
    if row is None or row["nodes"]:
        raise RuntimeError("MATRIX_TEST_NEO4J_URI names a database that is not empty: tests would wipe it.")
    return server


@asynccontextmanager
async def _stopgap(folder: Path) -> AsyncIterator[Neo4jServer]:
    """STOPGAP until matrix.local_neo4j is there."""
    import socket

    from neo4j import AsyncGraphDatabase

    ports = []
    for _ in range(2):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            ports.append(s.getsockname()[1])
    (folder / "conf").mkdir(parents=True)
    (folder / "conf" / "neo4j.conf").write_text(
        f"server.bolt.listen_address=127.0.0.1:{ports[0]}\nserver.http.listen_address=127.0.0.1:{ports[1]}\n"
        "server.https.enabled=false\ndbms.usage_report.enabled=false\ndbms.fleet_manager.enabled=false\n"
        "server.fleet_discovery.enabled=false\nserver.memory.heap.max_size=512m\nserver.memory.pagecache.size=128m\n"
    )
    jars = ":".join(str(p) for p in Path("/tmp/n4j/repo").rglob("*.jar"))
    opens = [
        f"--add-opens=java.base/{p}=ALL-UNNAMED" for p in ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
    ]
    process = subprocess.Popen(
        [
            "/usr/lib/jvm/temurin-25-jdk-amd64/bin/java",
            "-cp",
            jars,
            "-Xmx512m",
            *opens,
            "--enable-native-access=ALL-UNNAMED",
            "--add-modules=jdk.incubator.vector",
            "org.neo4j.server.Neo4jCommunity",
            f"--home-dir={folder}",
            f"--config-dir={folder}/conf",
            "--console-mode",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        uri = f"bolt://127.0.0.1:{ports[0]}"
        deadline = time.monotonic() + 90
        while True:
            try:
                async with AsyncGraphDatabase.driver(uri, auth=("neo4j", "neo4j")) as driver:
                    await driver.execute_query(
                        "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO 'matrix-test'", database_="system"
                    )
                break
            except Exception:
                if time.monotonic() > deadline:
                    raise
                await asyncio.sleep(0.5)
        yield Neo4jServer(uri, "neo4j", "matrix-test")
    finally:
        process.terminate()
        process.wait(30)
