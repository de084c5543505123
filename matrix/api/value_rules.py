"""Rules for values of an entity that its type cannot tell: values that depend on each other, or on the settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from matrix.api.entities import Rule
from matrix.domain.addresses import check_url
from matrix.domain.documents import ChunkingSettings
from matrix.domain.entities import Value
from matrix.ingest.chunking.limits import check_chunking

Values = Mapping[str, Value]


def rules_with(allowed_private_hosts: Collection[str]) -> Mapping[str, Rule]:
    """The rules by collection. Each is given all values as they will be, and those among them that are changed."""

    def check_provider(_: Values, changed: Values) -> None:
        """Errors: InvalidInput, the address is none that Matrix may reach."""
        url = changed.get("baseUrl")
        if isinstance(url, str) and url:
            check_url(url, allowed_private_hosts, "baseUrl")

    return {"knowledge": check_knowledge, "model-providers": check_provider}


def check_knowledge(values: Values, _: Values) -> None:
    """Errors: InvalidInput where chunk sizes do not fit each other."""
    size, overlap = values.get("chunkSize"), values.get("chunkOverlap")
    if isinstance(size, int | float) and isinstance(overlap, int | float):
        check_chunking(ChunkingSettings(int(size), int(overlap), str(values.get("chunkUnit") or "CHARACTERS")))
