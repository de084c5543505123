"""Waits until a starting server serves, and gives it its password the first time."""

from __future__ import annotations

import asyncio
import contextlib

from matrix.errors import LocalServerError, MatrixError
from matrix.local_neo4j.addresses import HOST, Addresses
from matrix.local_neo4j.console import tail
from matrix.local_neo4j.faults import explain_exit
from matrix.local_neo4j.home import Home
from matrix.local_neo4j.ports import ServerProbe
from matrix.local_neo4j.process import ServerHandle

USER = "neo4j"

_HTTP_TIMEOUT = 5.0
_POLL = 0.2
PASSWORD_PAUSES = (0.2, 0.5, 1.0, 6.0)
"""Seconds between tries with the password. Neo4j locks a user for 5 s after three wrong ones."""


async def until_serving(handle: ServerHandle, addresses: Addresses, home: Home, patience: float) -> None:
    """Return when HTTP answers, which Neo4j opens last. Raises LocalServerError when the process ends first, or after
    `patience` seconds (`start_timeout`)."""
    try:
        async with asyncio.timeout(patience):
            while not await http_answers(addresses):
                await _check_alive(handle, home)
                await asyncio.sleep(_POLL)
    except TimeoutError:
        raise LocalServerError(
            f"Neo4j did not answer within {patience:.0f} s.",
            code="start_timeout",
            advice=f"Read {home.console_log}; a large recovery or a busy machine may need longer: start again.",
        ) from None


async def until_signed_in(
    handle: ServerHandle,
    addresses: Addresses,
    home: Home,
    password: str,
    probe: ServerProbe,
    *,
    first: bool,
    pauses: tuple[float, ...] = PASSWORD_PAUSES,
) -> None:
    """Set the password where that was never done, then wait for a query to be answered with it.

    Raises LocalServerError `password_refused`, or what `explain_exit` says when the process ends.
    """
    if first:
        # Refused where an earlier start was cut off between setting the password and noting that: then it fits already.
        with contextlib.suppress(MatrixError):
            await probe.set_first_password(addresses.bolt_uri, password)
    for pause in pauses:
        if await probe.is_ready(addresses.bolt_uri, USER, password):
            return
        await _check_alive(handle, home)
        await asyncio.sleep(pause)
    raise LocalServerError(
        f"The database in {home.folder} does not accept our password.",
        code="password_refused",
        advice="Put back the secrets.json that belongs to this data folder, or start with another --data-dir.",
    )


async def http_answers(addresses: Addresses) -> bool:
    """True when `GET /` is answered with 200."""
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(_HTTP_TIMEOUT):
            reader, writer = await asyncio.open_connection(HOST, addresses.http_port)
            try:
                writer.write(b"GET / HTTP/1.0\r\nAccept: application/json\r\n\r\n")
                await writer.drain()
                return b" 200 " in await reader.readline()
            finally:
                writer.close()
    return False


async def _check_alive(handle: ServerHandle, home: Home) -> None:
    if not handle.is_alive:
        last_words = await asyncio.to_thread(tail, home.console_log)
        raise explain_exit(await handle.wait(), last_words, home.console_log)
