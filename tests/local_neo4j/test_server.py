"""The real server: started, restarted, killed, abandoned. Four starts in all, since each costs many seconds."""

import os
import signal
import urllib.request
from contextlib import asynccontextmanager

import neo4j
import psutil
import pytest

from matrix.errors import LocalServerError
from matrix.local_neo4j import start_local_neo4j
from tests.local_neo4j.fakes import DriverProbe

PASSWORD = "first-password-of-a-test"

pytestmark = [pytest.mark.feature("A6"), pytest.mark.timeout(600)]


@asynccontextmanager
async def started(folder, password=PASSWORD):
    server = await start_local_neo4j(folder, password, DriverProbe())
    async with server:
        yield server


async def query(server, text):
    auth = (server.user, server.password)
    async with neo4j.AsyncGraphDatabase.driver(server.bolt_uri, auth=auth) as driver:
        return [record.value() for record in (await driver.execute_query(text)).records]


def http_status(url):
    with urllib.request.urlopen(url, timeout=20) as answer:
        return answer.status


async def test_starts_serves_and_keeps_everything(tmp_path):
    async with started(tmp_path) as first:
        assert http_status(first.browser_url) == 200
        assert await query(first, "CREATE (n:Kept {at: 1}) RETURN n.at") == [1]
        with pytest.raises(neo4j.exceptions.ClientError, match="cypher_ip_blocklist"):
            await query(first, f"LOAD CSV FROM '{first.http_url}' AS row RETURN row")
        with pytest.raises(neo4j.exceptions.ClientError, match="allow_csv_import"):
            await query(first, "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row")
        with pytest.raises(LocalServerError, match=str(os.getpid())) as caught:
            await start_local_neo4j(tmp_path, PASSWORD, DriverProbe())
        assert caught.value.code == "folder_in_use"
        listening = {
            address.laddr.ip for address in psutil.Process(first.pid).net_connections() if address.status == "LISTEN"
        }
        assert {ip.removeprefix("::ffff:") for ip in listening} == {"127.0.0.1"}
    assert not psutil.pid_exists(first.pid)

    async with started(tmp_path) as second:
        assert (second.bolt_uri, second.http_url) == (first.bolt_uri, first.http_url)
        assert await query(second, "MATCH (n:Kept) RETURN n.at") == [1]
        second._lock.release()  # as if its parent had been killed where the kernel does not take it along
        async with started(tmp_path) as adopted:
            assert adopted.adopted
            assert adopted.pid == second.pid
            assert await query(adopted, "MATCH (n:Kept) RETURN n.at") == [1]
        await second.wait()


async def test_comes_back_after_kill_9(tmp_path):
    async with started(tmp_path) as first:
        assert await query(first, "CREATE (n:Kept {at: 2}) RETURN n.at") == [2]
        os.kill(first.pid, signal.SIGKILL)
        assert await first.wait() == -signal.SIGKILL
        assert (await first.why_it_ended()).code == "server_died"

    async with started(tmp_path) as second:
        assert await query(second, "MATCH (n:Kept) RETURN n.at") == [2]
        assert await query(second, "SHOW DATABASES YIELD currentStatus") == ["online", "online"]
