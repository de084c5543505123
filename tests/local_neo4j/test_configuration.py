"""What is written for Neo4j to read, and how memory and ports are chosen."""

import socket

import pytest

from matrix.local_neo4j.addresses import Addresses, choose_addresses, is_free
from matrix.local_neo4j.command import java_arguments, server_command
from matrix.local_neo4j.configuration import configuration
from matrix.local_neo4j.home import home_of
from matrix.local_neo4j.java import Java
from matrix.local_neo4j.memory import MemoryPlan, plan_memory
from matrix.local_neo4j.state import ServerProcess, ServerState, read_state, write_state

ADDRESSES = Addresses(bolt_port=40001, http_port=40002)
MEMORY = MemoryPlan(heap=1024, page_cache=512)


def settings():
    lines = configuration(ADDRESSES, MEMORY).splitlines()
    return dict(line.split("=", 1) for line in lines if not line.startswith("#"))


def test_listens_on_loopback_only():
    listening = {name: value for name, value in settings().items() if name.endswith("listen_address")}
    assert len(listening) == 3
    assert all(value.startswith("127.0.0.1") for value in listening.values())
    assert settings()["server.https.enabled"] == "false"


def test_reports_nothing_and_reads_no_files():
    written = settings()
    for name in (
        "dbms.usage_report.enabled",
        "client.allow_telemetry",
        "dbms.fleet_manager.enabled",
        "server.fleet_discovery.enabled",
        "dbms.security.allow_csv_import_from_file_urls",
    ):
        assert written[name] == "false"


def test_sizes_are_written():
    written = settings()
    assert written["server.memory.heap.max_size"] == "1024m"
    assert written["server.memory.pagecache.size"] == "512m"
    assert written["db.tx_log.rotation.retention_policy"] == "1 files"


@pytest.mark.parametrize(("gigabytes", "heap"), [(2, 512), (4, 512), (8, 1024), (24, 1024), (64, 2048), (512, 2048)])
def test_memory_is_modest(gigabytes, heap):
    plan = plan_memory(gigabytes * 10**9)
    assert (plan.heap, plan.page_cache) == (heap, heap // 2)


@pytest.mark.parametrize("has_vector", [True, False])
def test_java_arguments(tmp_path, has_vector):
    home = home_of(tmp_path / 'a "quoted" folder')
    java = Java(tmp_path / "java", 25, "PATH", has_vector)
    text = java_arguments(home, java, MEMORY, (tmp_path / "x.jar", tmp_path / "y.jar"))
    assert '"-Xmx1024m"\n' in text
    assert f"{tmp_path}/x.jar:{tmp_path}/y.jar" in text
    assert ("--add-modules=jdk.incubator.vector" in text) is has_vector
    assert 'a \\"quoted\\" folder' in text
    assert f"--home-dir={home.folder}" in server_command(home, java)


def test_ports_are_kept_while_free():
    first = choose_addresses(None)
    assert first.bolt_port != first.http_port
    assert choose_addresses(first) == first


def test_a_taken_port_is_replaced():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        assert not is_free(taken)
        chosen = choose_addresses(Addresses(taken, ADDRESSES.http_port))
    assert taken not in (chosen.bolt_port, chosen.http_port)


def test_state_survives(tmp_path):
    path = tmp_path / "server.json"
    state = ServerState(ADDRESSES, True, ServerProcess(12, 34.5, "/jvm/bin/java", "2026.08.1"))
    write_state(path, state)
    assert read_state(path) == state
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "{", "[]", '{"boltPort": 1}', '{"boltPort": "x", "httpPort": 2}'])
def test_a_damaged_state_is_no_state(tmp_path, text):
    (tmp_path / "server.json").write_text(text)
    assert read_state(tmp_path / "server.json") is None
