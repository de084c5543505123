"""What passages repeat of their document, so that the indexes can narrow by it: audience, tags, kind, language, title.
The document is the truth; these are copies, and follow it in small transactions."""

from __future__ import annotations

import re

from matrix.graph.access.audiences import everyone_in
from matrix.graph.database import Row, Transaction
from matrix.graph.search.scope_tokens import scope_tokens

_NAME_JOINTS = re.compile(r"[/._-]+")

DOCUMENT_MARKS = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
OPTIONAL MATCH (a:Audience:Entity {id: d.audienceId})-[:ADMITS]->(p:Entity)
RETURN d.orgId AS org, d.knowledgeId AS knowledge, d.id AS document, d.name AS name, d.title AS title,
  d.audienceId AS audience, d.sourceKind AS sourceKind, d.sourceUrl AS sourceUrl, d.language AS language,
  d.tags AS tags, collect(p.id) AS principals
"""

# Changing an indexed property costs up to a millisecond a passage, so only those that differ are touched.
REFRESH_COPIES = """
MATCH (:KnowledgeDocument:Entity {id: $document})-[:LIVE]->(:DocumentVersion)-[:HAS_CHUNK]->(c:KnowledgeChunk)
WHERE c.audienceId <> $copies.audienceId OR c.scopeTokens <> $copies.scopeTokens OR c.title <> $copies.title
  OR c.sourceKind <> $copies.sourceKind OR coalesce(c.sourceUrl, '') <> coalesce($copies.sourceUrl, '')
WITH c LIMIT $limit
SET c += $copies, c.updatedAt = datetime.realtime()
RETURN count(c) AS refreshed
"""


async def document_copies(
    tx: Transaction, document_id: str, title: str | None = None, language: str | None = None
) -> dict[str, object]:
    """The properties that every passage of the document has. `title` and `language` are those of a version that does
    not serve yet, where there is one."""
    marks = await tx.one(DOCUMENT_MARKS, document=document_id)
    if marks is None:
        return {}
    return {
        "entityType": "KnowledgeChunk",
        "orgId": marks["org"],
        "scopeId": marks["knowledge"],
        "documentId": marks["document"],
        "audienceId": marks["audience"],
        "sourceKind": marks["sourceKind"],
        "sourceUrl": marks["sourceUrl"],
        "title": _title(marks["name"], title or marks["title"]),
        "scopeTokens": _tokens(marks, language or marks["language"]),
    }


async def refresh_copies(tx: Transaction, document_id: str, limit: int) -> int:
    """Brings at most `limit` serving passages up to date; returns how many it touched."""
    copies = await document_copies(tx, document_id)
    row = await tx.one(REFRESH_COPIES, document=document_id, copies=copies, limit=limit)
    return int(row["refreshed"]) if row else 0


def _title(name: str, title: str | None) -> str:
    """What the index calls it: title, name, and the words of the name, which the analyzer would keep in one piece."""
    words = _NAME_JOINTS.sub(" ", name)
    return " ".join(dict.fromkeys(part for part in (title, name, words) if part))


def _tokens(marks: Row, language: str | None) -> str:
    principals = list(marks["principals"])
    if marks["audience"] == everyone_in(marks["org"]) and not principals:
        principals = [marks["org"]]
    return scope_tokens(
        org_id=marks["org"],
        knowledge_id=marks["knowledge"],
        document_id=marks["document"],
        source_kind=marks["sourceKind"],
        language=language,
        tags=marks["tags"] or (),
        principals=principals,
    )
