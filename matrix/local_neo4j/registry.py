"""The only place that talks to the Maven registry: one port, and its implementation by jgo.

jgo knows the registry's address and honours the usual proxy variables; nothing here names a host.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from jgo.maven import MavenContext

from matrix.local_neo4j.jars import Jar

REQUEST_TIMEOUT = 30
"""Seconds for a connection, and for each silence while bytes are read."""


class JarSource(Protocol):
    """Brings one jar."""

    def bring(self, jar: Jar, folder: Path) -> Path:
        """Write the jar somewhere below `folder` and return where. Blocks. Raises OSError when the registry cannot be
        reached or the disk cannot be written, LookupError when the registry does not have it."""
        ...


class MavenSource:
    """A `JarSource` on jgo. `mirrors` maps a name to another registry's base address; empty means jgo's default."""

    def __init__(self, mirrors: dict[str, str] | None = None) -> None:
        self._mirrors = mirrors

    def bring(self, jar: Jar, folder: Path) -> Path:
        context = MavenContext(repo_cache=folder, remote_repos=self._mirrors, timeout=REQUEST_TIMEOUT)
        component = context.project(jar.group, jar.artifact).at_version(jar.version)
        try:
            return Path(component.artifact(classifier=jar.classifier, packaging=jar.packaging).resolve())
        except RuntimeError as error:  # jgo's word for "no registry has it"
            raise LookupError(jar.coordinate) from error
