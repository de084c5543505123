"""Another embedder for a database that holds nothing but the demo: pinned, and the demo's documents processed anew.
What the demo is, is told by the caller; how vectors go is in `embedder_pin`."""

from __future__ import annotations

from collections.abc import Iterable

from matrix.domain.jobs import JobKind
from matrix.graph.database import Database, Transaction
from matrix.graph.documents.jobs import add_job
from matrix.graph.schema.embedder_pin import CHANGE_PIN, check_dimensions, pin_embedder

HOLDS_MORE = """
RETURN EXISTS { MATCH (:Memory) } OR EXISTS {
  MATCH (d:KnowledgeDocument)<-[:HAS_DOCUMENT]-(k:Knowledge)
  WHERE d.deletedAt IS NULL AND k.deletedAt IS NULL AND NOT (k.key = $corpus AND d.sha256 IN $hashes)
} AS more
"""

# They go on serving by their words; a version that is at work already has its job.
PROCESS_AGAIN = """
MATCH (d:KnowledgeDocument)-[:LIVE]->(v:DocumentVersion) WHERE d.deletedAt IS NULL AND v.status = 'COMPLETED'
SET d.locked = true, v.status = 'PENDING', v.updatedAt = datetime.realtime()
WITH d, v, CASE WHEN d.version = v.number THEN d END AS shown
SET shown.status = 'PENDING', shown.step = 'waiting', shown.progress = 0.0, shown.updatedAt = datetime.realtime()
RETURN d.id AS document, d.orgId AS org, d.knowledgeId AS knowledge, v.id AS version, v.size AS size
"""


async def repin_demo(database: Database, name: str, dimensions: int, corpus: str, hashes: Iterable[str]) -> bool:
    """Pins the embedder and has all documents embedded anew, if there are no memories, and no documents but those of
    the demo: in the corpus of the key `corpus`, with bytes of one of the `hashes`. Else it changes nothing and answers
    False.

    Pin and jobs are one write; what a crash leaves of the rest is done by the next start with that embedder.
    """
    check_dimensions(dimensions)
    known = sorted(hashes)

    async def change(tx: Transaction) -> bool:
        found = await tx.one(HOLDS_MORE, corpus=corpus, hashes=known)
        if found is None or found["more"]:
            return False
        await tx.run(CHANGE_PIN, name=name, dimensions=dimensions)
        await _process_again(tx)
        return True

    changed = await database.write_together(change)
    if changed:
        await pin_embedder(database, name, dimensions)
    return changed


async def _process_again(tx: Transaction) -> None:
    for row in await tx.run(PROCESS_AGAIN):
        await add_job(
            tx,
            JobKind.INGEST,
            org_id=row["org"],
            subject_id=row["version"],
            document_id=row["document"],
            knowledge_id=row["knowledge"],
            size=row["size"],
        )
