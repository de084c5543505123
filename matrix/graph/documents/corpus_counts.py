"""The counts that are stamped on a corpus: always taken from what is there, never added up. A small corpus is counted
in the transaction that changed it; a large one is marked and counted by the workers now and then, so that the n-th
upload costs what the first did.

`documentCount` and `chunkCount` are of everything; the lists beside them hold the same by audience, and readers are
told the sum of what they may see (`queries`)."""

from __future__ import annotations

from matrix.graph.database import Database, Transaction

SMALL_CORPUS = 1000  # documents: counting them takes about a millisecond
CORPORA_AT_ONCE = 20

MARK_UNCOUNTED = """
MATCH (k:Knowledge:Entity {id: $knowledge})
SET k.uncountedSince = coalesce(k.uncountedSince, datetime.realtime())
RETURN COUNT { (k)-[:HAS_DOCUMENT]->() } AS documents
"""

STAMP_COUNTS = """
MATCH (k:Knowledge:Entity {id: $knowledge})
REMOVE k.uncountedSince
WITH k
CALL (k) {
  MATCH (k)-[:HAS_DOCUMENT]->(d:KnowledgeDocument) WHERE d.deletedAt IS NULL
  WITH d.audienceId AS audience, count(d) AS documents, sum(d.chunkCount) AS chunks
  RETURN collect(audience) AS audiences, collect(documents) AS documents, collect(chunks) AS chunks
}
SET k.countedAudiences = audiences, k.countedDocuments = documents, k.countedChunks = chunks,
  k.documentCount = reduce(sum = 0, n IN documents | sum + n), k.chunkCount = reduce(sum = 0, n IN chunks | sum + n),
  k.updatedAt = datetime.realtime()
"""

UNCOUNTED = """
MATCH (k:Knowledge) WHERE k.uncountedSince <= datetime() AND k.deletedAt IS NULL
RETURN k.id AS id ORDER BY k.uncountedSince LIMIT $limit
"""


async def counts_changed(tx: Transaction, knowledge_id: str) -> None:
    """Last step of a transaction that changed which passages or documents a corpus has. Locks the corpus."""
    row = await tx.one(MARK_UNCOUNTED, knowledge=knowledge_id)
    if row is not None and row["documents"] <= SMALL_CORPUS:
        await tx.run(STAMP_COUNTS, knowledge=knowledge_id)


async def count_marked_corpora(database: Database) -> int:
    """Counts the large corpora that changed; returns how many there were. Run every few seconds."""
    rows = await database.read(UNCOUNTED, limit=CORPORA_AT_ONCE)
    for row in rows:
        await database.write(STAMP_COUNTS, knowledge=row["id"])
    return len(rows)
