"""Matrix: documents in, cited answers out, on one Neo4j graph."""

__version__ = "0.1.0"
