"""The text of `neo4j.conf`: loopback only, nothing reported to anybody, no files read by queries, small."""

from __future__ import annotations

from matrix.local_neo4j.addresses import HOST, Addresses
from matrix.local_neo4j.memory import MemoryPlan

_HEADER = "# Written by Matrix at every start; changes are lost. Set NEO4J_URI to use a server of your own.\n"


def configuration(addresses: Addresses, memory: MemoryPlan) -> str:
    """The whole file. Paths are Neo4j's defaults below its home, so the data folder can be moved."""
    return _HEADER + "".join(f"{name}={value}\n" for name, value in _settings(addresses, memory).items())


def _settings(addresses: Addresses, memory: MemoryPlan) -> dict[str, str]:
    return _network(addresses) | _privacy() | _storage(memory) | _stopping()


def _network(addresses: Addresses) -> dict[str, str]:
    bolt, http = f"{HOST}:{addresses.bolt_port}", f"{HOST}:{addresses.http_port}"
    return {
        "server.default_listen_address": HOST,
        "server.default_advertised_address": HOST,
        "server.bolt.enabled": "true",
        "server.bolt.listen_address": bolt,
        "server.bolt.advertised_address": bolt,
        "server.http.enabled": "true",
        "server.http.listen_address": http,
        "server.http.advertised_address": http,
        "server.https.enabled": "false",
        # There is no proxy before it whose headers could be believed.
        "server.http.x_forward.enabled": "false",
        # Pages of other origins must not talk to the HTTP API through the user's browser.
        "dbms.security.http_access_control_allow_origin": addresses.http_url,
    }


def _privacy() -> dict[str, str]:
    return {
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",
        "dbms.fleet_manager.enabled": "false",
        "server.fleet_discovery.enabled": "false",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        # LOAD CSV from the network would let a query reach hosts that only this machine can.
        "internal.dbms.cypher_ip_blocklist": "0.0.0.0/0,::/0",
        "server.directories.import": "import",
    }


def _storage(memory: MemoryPlan) -> dict[str, str]:
    return {
        # The JVM's own flags set the heap; repeated here so that the server reports the truth.
        "server.memory.heap.initial_size": f"{memory.heap}m",
        "server.memory.heap.max_size": f"{memory.heap}m",
        "server.memory.pagecache.size": f"{memory.page_cache}m",
        "db.tx_log.rotation.retention_policy": "1 files",
    }


def _stopping() -> dict[str, str]:
    """The databases close in one second; Bolt would then wait ten more for clients, which are ours and gone."""
    return {
        "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s",
        "internal.server.bolt.connection_shutdown_wait_time": "0s",
        "internal.server.bolt.thread_pool_shutdown_wait_time": "0s",
    }
