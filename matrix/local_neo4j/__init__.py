"""The embedded default database: a real Neo4j Community as a child process, in a data folder, from Maven artefacts.

`start_local_neo4j` starts it, `check_local_neo4j` tells `matrix doctor` what stands in the way. The driver is not used
here: who speaks Bolt is the port `ServerProbe`.
"""

from matrix.local_neo4j.checks import Check, check_local_neo4j
from matrix.local_neo4j.jars import NEO4J_VERSION
from matrix.local_neo4j.java import Java, JavaPlaces
from matrix.local_neo4j.ports import Progress, ServerProbe, SilentProgress
from matrix.local_neo4j.registry import JarSource, MavenSource
from matrix.local_neo4j.server import RunningServer
from matrix.local_neo4j.start import start_local_neo4j

__all__ = [
    "NEO4J_VERSION",
    "Check",
    "JarSource",
    "Java",
    "JavaPlaces",
    "MavenSource",
    "Progress",
    "RunningServer",
    "ServerProbe",
    "SilentProgress",
    "check_local_neo4j",
    "start_local_neo4j",
]
