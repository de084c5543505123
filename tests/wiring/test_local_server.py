from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from matrix.errors import LocalServerError
from matrix.wiring import local_server
from matrix.wiring.local_server import MOST_RESTARTS, LocalDatabase


@dataclass(eq=False)
class MortalServer:
    """As much of a RunningServer as is asked of it. It ends when it is told to."""

    bolt_uri: str = "bolt://127.0.0.1:7687"
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: bool = False

    async def wait(self) -> int:
        await self.ended.wait()
        return -9

    async def stop(self) -> None:
        self.stopped = True

    async def why_it_ended(self) -> LocalServerError:
        return LocalServerError("Neo4j ended (exit code -9).", code="server_died")


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "FIRST_PAUSE", 0.001)


def database(*servers: MortalServer) -> tuple[LocalDatabase, list[MortalServer]]:
    left = list(servers)

    async def start() -> MortalServer:
        return left.pop(0)

    return LocalDatabase(left.pop(0), start), left  # type: ignore[arg-type]  # a fake of the server


@pytest.mark.feature("A6")
async def test_a_database_that_dies_is_started_again_after_its_folder_was_freed() -> None:
    first, second = MortalServer(), MortalServer()
    kept, left = database(first, second)
    first.ended.set()
    running = asyncio.create_task(kept.keep_running())
    while left:  # noqa: ASYNC110  # the database counts, not the test
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert first.stopped
    assert kept.server is second
    assert not running.done()
    running.cancel()


async def test_one_that_keeps_dying_is_given_up_with_its_reason() -> None:
    servers = [MortalServer() for _ in range(MOST_RESTARTS + 1)]
    for server in servers:
        server.ended.set()
    kept, left = database(*servers)
    with pytest.raises(LocalServerError, match="exit code -9"):
        await kept.keep_running()
    assert not left


async def test_another_address_would_leave_its_users_behind() -> None:
    first, second = MortalServer(), MortalServer("bolt://127.0.0.1:9999")
    first.ended.set()
    kept, _ = database(first, second)
    with pytest.raises(LocalServerError, match="7687") as caught:
        await kept.keep_running()
    assert caught.value.code == "port_taken"
    assert kept.server is second  # so that the end of the context stops it
