"""Values of a corpus that depend on each other."""

from __future__ import annotations

from collections.abc import Mapping

from matrix.api.entities import Rule
from matrix.domain.documents import ChunkingSettings
from matrix.domain.entities import Value
from matrix.ingest.chunking.limits import check_chunking


def check_knowledge(values: Mapping[str, Value]) -> None:
    """Errors: InvalidInput where chunk sizes do not fit each other."""
    size, overlap = values.get("chunkSize"), values.get("chunkOverlap")
    if isinstance(size, int | float) and isinstance(overlap, int | float):
        check_chunking(ChunkingSettings(int(size), int(overlap), str(values.get("chunkUnit") or "CHARACTERS")))


RULES: Mapping[str, Rule] = {"knowledge": check_knowledge}
