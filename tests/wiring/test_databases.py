from __future__ import annotations

import asyncio

import pytest

from matrix.errors import DatabaseUnavailable, InvalidSettings
from matrix.settings import Neo4jSettings, read_settings
from matrix.wiring.databases import database_of, until_it_answers
from tests.servers.neo4j import Neo4jServer


async def test_a_database_that_is_not_there_is_named() -> None:
    absent = read_settings(neo4j=Neo4jSettings(uri="bolt://127.0.0.1:1"))
    with pytest.raises(DatabaseUnavailable, match=r"bolt://127\.0\.0\.1:1 does not answer") as caught:
        await until_it_answers(absent, 0)
    assert "NEO4J_URI" in caught.value.advice


@pytest.mark.feature("A6", "H4")
async def test_a_process_waits_for_a_database_that_is_restarted(neo4j_server: Neo4jServer) -> None:
    host, port = neo4j_server.uri.removeprefix("bolt://").split(":")
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0) as down:
        address = down.sockets[0].getsockname()
    named = Neo4jSettings(
        uri=f"bolt://127.0.0.1:{address[1]}", username=neo4j_server.username, password=neo4j_server.password
    )
    waiting = asyncio.create_task(until_it_answers(read_settings(neo4j=named), 60))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    async with await asyncio.start_server(lambda *up: _joined(*up, host, int(port)), "127.0.0.1", address[1]):
        await waiting


@pytest.mark.feature("A6")
async def test_a_wrong_password_is_not_waited_for(neo4j_server: Neo4jServer) -> None:
    wrong = read_settings(neo4j=Neo4jSettings(uri=neo4j_server.uri, password="wrong"))
    with pytest.raises(InvalidSettings, match="refuses the user name or password"):
        await until_it_answers(wrong, 60)
    with pytest.raises(InvalidSettings, match="No database is named"):
        async with database_of(read_settings()):
            pass


async def _joined(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, port: int) -> None:
    """The server behind another address."""
    there, back = await asyncio.open_connection(host, port)
    await asyncio.gather(_copy(reader, back), _copy(there, writer))


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65536):
        target.write(data)
        await target.drain()
    target.close()
