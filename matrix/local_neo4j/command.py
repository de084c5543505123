"""The command line that runs Neo4j: JVM flags and class path in an argument file, the home folder visible in `ps`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matrix.local_neo4j.home import Home
from matrix.local_neo4j.java import VECTOR_MODULE, Java
from matrix.local_neo4j.memory import MemoryPlan

MAIN_CLASS = "org.neo4j.server.Neo4jCommunity"
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")


def java_arguments(home: Home, java: Java, memory: MemoryPlan, jars: Sequence[Path]) -> str:
    """The argument file: one quoted argument a line. 238 jars on the command line would fill every process list."""
    flags = [
        f"-Xms{memory.heap // 2}m",
        f"-Xmx{memory.heap}m",
        # A database that ran out of heap is in an unknown state: end, and let the supervisor start it again.
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-UsePerfData",
        f"-Djava.io.tmpdir={home.temporary}",
        "-Djava.awt.headless=true",
        "-Dfile.encoding=UTF-8",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED),
        "--enable-native-access=ALL-UNNAMED",
        *([f"--add-modules={VECTOR_MODULE}"] if java.has_vector else []),
        "-classpath",
        ":".join(str(jar) for jar in jars),
    ]
    return "".join(f"{_quoted(flag)}\n" for flag in flags)


def server_command(home: Home, java: Java) -> tuple[str, ...]:
    """Program and arguments. `home_argument` in it is how a running server is recognised later."""
    conf = home.conf.parent
    return (
        str(java.program),
        f"@{home.java_arguments}",
        MAIN_CLASS,
        home_argument(home),
        f"--config-dir={conf}",
        "--console-mode",
    )


def home_argument(home: Home) -> str:
    return f"--home-dir={home.folder}"


def _quoted(argument: str) -> str:
    escaped = argument.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
