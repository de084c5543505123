"""Stand-ins for what the package gets from outside: registry, progress, Bolt, and a process that looks like Neo4j."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from matrix.errors import DatabaseUnavailable
from matrix.local_neo4j.command import MAIN_CLASS, home_argument
from matrix.local_neo4j.jars import Jar


class DriverProbe:
    """The probe on the real driver, as `matrix.graph` has it."""

    async def is_ready(self, bolt_uri, user, password):
        try:
            async with neo4j.AsyncGraphDatabase.driver(bolt_uri, auth=(user, password)) as driver:
                await driver.execute_query("RETURN 1")
        except (DriverError, Neo4jError):
            return False
        return True

    async def set_first_password(self, bolt_uri, new_password):
        query = "ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new"
        try:
            async with neo4j.AsyncGraphDatabase.driver(bolt_uri, auth=("neo4j", "neo4j")) as driver:
                await driver.execute_query(query, new=new_password, database_="system")
        except (DriverError, Neo4jError) as error:
            raise DatabaseUnavailable(str(error)) from error


class FixedProbe:
    """Accepts one password, or none; notes what was set."""

    def __init__(self, accepted=None, refuse_first=False):
        self.accepted, self.refuse_first = accepted, refuse_first

    async def is_ready(self, bolt_uri, user, password):
        return password == self.accepted

    async def set_first_password(self, bolt_uri, new_password):
        if self.refuse_first:
            raise DatabaseUnavailable("refused")
        self.accepted = new_password


class CountingProgress:
    def __init__(self):
        self.steps, self.done, self.total = [], 0, None

    def begin(self, step, total):
        self.steps.append(step)
        self.total = total if total is not None else self.total

    def advance(self, amount):
        self.done += amount

    def finish(self):
        self.steps.append("finished")


def jar_of(name, content):
    return Jar("org.example", name, "1.0", "", "jar", hashlib.sha256(content).hexdigest(), len(content))


class FakeRegistry:
    """Gives what `answers` says for an artifact, one entry an attempt; an exception is raised."""

    def __init__(self, **answers):
        self.answers = answers
        self.asked = []

    def bring(self, jar, folder):
        self.asked.append(jar.artifact)
        answers = self.answers[jar.artifact]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if isinstance(answer, Exception):
            raise answer
        path = folder / jar.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(answer)
        return Path(path)


@contextmanager
def fake_server(home):
    """A sleeping process whose command line says that it is this folder's Neo4j."""
    command = [sys.executable, "-c", "import time; time.sleep(60)", MAIN_CLASS, home_argument(home)]
    process = subprocess.Popen(command)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
