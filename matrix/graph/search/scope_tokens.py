"""The string of tokens by which the full-text index is narrowed to an organization, corpora, documents, what documents
are, and who may see them. Each is alphanumeric with one `_`, so that the analyzer keeps it whole."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable


def scope_tokens(
    *,
    org_id: str,
    knowledge_id: str,
    document_id: str,
    source_kind: str,
    language: str | None,
    tags: Iterable[str],
    principals: Iterable[str],
) -> str:
    """All tokens of a document's passages, in one string."""
    tokens = [token("o", org_id), token("k", knowledge_id), token("d", document_id), token("s", source_kind)]
    if language:
        tokens.append(token("l", language))
    tokens += sorted(tag_token(tag) for tag in tags)
    tokens += sorted(token("p", principal) for principal in principals)
    return " ".join(tokens)


def token(kind: str, value: str) -> str:
    """`o_<id>` and the like. Ids are alphanumeric; anything else is told apart by its hash."""
    plain = value.isascii() and value.isalnum()
    return f"{kind}_{value.lower()}" if plain else f"{kind}_{_hash(value)}"


def tag_token(tag: str) -> str:
    """Tags are words of people, in any script: only their hash is safe in a query."""
    return f"t_{_hash(unicodedata.normalize('NFC', tag))}"


def _hash(value: str) -> str:
    return "x" + hashlib.sha256(value.encode()).hexdigest()[:20]
