"""Processes: bound to ours, waited for, stopped; orphans found and judged."""

import asyncio
import signal
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from matrix.errors import LocalServerError
from matrix.local_neo4j.addresses import Addresses
from matrix.local_neo4j.home import home_of
from matrix.local_neo4j.jars import NEO4J_VERSION
from matrix.local_neo4j.orphans import find_server, take_over
from matrix.local_neo4j.process import spawn
from matrix.local_neo4j.readiness import until_serving, until_signed_in
from matrix.local_neo4j.state import ServerProcess, ServerState
from tests.local_neo4j.fakes import FixedProbe, fake_server

SLEEP = ("/bin/sleep", "60")
STUBBORN = ("/bin/sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done")


@pytest.fixture
def home(tmp_path):
    home = home_of(tmp_path)
    home.create()
    return home


@asynccontextmanager
async def answering():
    """Addresses whose HTTP port answers 200."""

    async def answer(reader, writer):
        await reader.readline()
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield Addresses(bolt_port=1, http_port=server.sockets[0].getsockname()[1])


def gone(pid, within=5.0):
    """True when the process ends in time; a zombie has ended."""
    until = time.monotonic() + within
    while time.monotonic() < until:
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.05)
    return False


async def test_stop_asks_first(home):
    handle = await spawn(SLEEP, home.folder, home.console_log)
    assert handle.is_alive
    await handle.stop()
    assert await handle.wait() == -signal.SIGTERM
    await handle.stop()


async def test_stop_kills_who_does_not_listen(home):
    handle = await spawn(STUBBORN, home.folder, home.console_log)
    while "ready" not in home.console_log.read_text():  # noqa: ASYNC110  it is another process that gets ready
        await asyncio.sleep(0.02)
    await handle.stop(0.3)
    assert await handle.wait() == -signal.SIGKILL


async def test_waiting_can_be_given_up(home):
    handle = await spawn(SLEEP, home.folder, home.console_log)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(handle.wait(), 0.05)
    assert handle.is_alive
    await handle.stop()


async def test_a_missing_program_ends_with_words_in_the_log(home):
    handle = await spawn(("/no/such/java",), home.folder, home.console_log)
    with pytest.raises(LocalServerError) as caught:
        await until_serving(handle, Addresses(1, 1), home, 10)
    assert "/no/such/java" in caught.value.message or "No such file" in caught.value.message


async def test_sees_nothing_of_our_environment(home, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", "canary")
    handle = await spawn(("/usr/bin/env",), home.folder, home.console_log)
    assert await handle.wait() == 0
    assert "canary" not in home.console_log.read_text()


PARENT = """
import asyncio, sys, psutil
from pathlib import Path
from matrix.local_neo4j.process import adopt, spawn
async def main():
    if sys.argv[2] == "spawn":
        handle = await spawn(("/bin/sleep", "60"), Path(sys.argv[1]), Path(sys.argv[1]) / "log")
    else:
        handle = await adopt(psutil.Process(int(sys.argv[2])))
    print(handle.pid, flush=True)
    await handle.wait()
asyncio.run(main())
"""


@pytest.mark.parametrize("how", ["spawn", "adopt"])
def test_it_dies_with_us_even_by_kill_9(tmp_path, how):
    orphan = subprocess.Popen(SLEEP) if how == "adopt" else None
    argument = str(orphan.pid) if orphan else how
    command = [sys.executable, "-c", PARENT, str(tmp_path), argument]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as parent:
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        parent.kill()
    assert gone(pid)
    if orphan:
        orphan.wait()


def named(process, addresses, version=NEO4J_VERSION):
    created = psutil.Process(process.pid).create_time()
    return ServerState(addresses, True, ServerProcess(process.pid, created, sys.executable, version))


async def test_an_orphan_that_answers_is_adopted(home):
    with fake_server(home) as process:
        async with answering() as addresses:
            handle = await take_over(home, named(process, addresses), "secret", FixedProbe("secret"))
        assert handle is not None
        assert handle.adopted
        assert handle.pid == process.pid
        await handle.stop()
        assert await handle.wait() is None
        assert gone(process.pid)


@pytest.mark.parametrize("why", ["password", "version", "silent", "no state"])
async def test_any_other_orphan_is_stopped(home, why):
    with fake_server(home) as process:
        async with answering() as addresses:
            state = named(process, addresses, "2020.01.1" if why == "version" else NEO4J_VERSION)
            if why == "silent":
                state = named(process, Addresses(1, 1))
            probe = FixedProbe("other" if why == "password" else "secret")
            assert await take_over(home, None if why == "no state" else state, "secret", probe) is None
        assert gone(process.pid)


async def test_a_process_of_another_folder_is_left_alone(home, tmp_path):
    with fake_server(home_of(tmp_path / "other")) as process:
        assert find_server(home, named(process, Addresses(1, 1))) is None
        assert process.poll() is None


def test_a_pid_that_is_used_again_is_left_alone(home):
    stranger = subprocess.Popen(SLEEP)
    try:
        assert find_server(home, named(stranger, Addresses(1, 1))) is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("java.io.IOException: No space left on device", "disk_full"),
        ("java.net.BindException: Address already in use", "port_taken"),
        ("java.lang.UnsupportedClassVersionError: x", "java_too_old"),
        ("something new", "server_died"),
    ],
)
async def test_an_early_end_is_explained(home, words, code):
    handle = await spawn(("/bin/sh", "-c", f"echo '{words}'; exit 3"), home.folder, home.console_log)
    with pytest.raises(LocalServerError) as caught:
        await until_serving(handle, Addresses(1, 1), home, 10)
    assert caught.value.code == code
    assert words in caught.value.message
    assert caught.value.advice


async def test_a_silent_server_is_given_up(home):
    handle = await spawn(SLEEP, home.folder, home.console_log)
    with pytest.raises(LocalServerError) as caught:
        await until_serving(handle, Addresses(1, 1), home, 0.3)
    assert caught.value.code == "start_timeout"
    await handle.stop()


@pytest.mark.parametrize(
    ("probe", "first"),
    [(FixedProbe(), True), (FixedProbe("secret", refuse_first=True), True), (FixedProbe("secret"), False)],
    ids=["fresh", "cut off after setting", "known"],
)
async def test_signs_in(home, probe, first):
    handle = await spawn(SLEEP, home.folder, home.console_log)
    await until_signed_in(handle, Addresses(1, 1), home, "secret", probe, first=first, pauses=(0,))
    await handle.stop()


async def test_a_wrong_password_is_told(home):
    handle = await spawn(SLEEP, home.folder, home.console_log)
    with pytest.raises(LocalServerError) as caught:
        await until_signed_in(handle, Addresses(1, 1), home, "secret", FixedProbe("other"), first=False, pauses=(0, 0))
    assert caught.value.code == "password_refused"
    await handle.stop()
