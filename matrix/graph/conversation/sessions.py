"""Conversations: a turn is saved whole, with its citations as nodes, and a session's last messages are read back. Each
session is private to its user, also from administrators."""

from __future__ import annotations

import json
from datetime import datetime

from matrix.domain.access import Scope
from matrix.domain.chat import Citation, Speaker, StoredMessage, ToolRun, Turn
from matrix.domain.ids import new_id
from matrix.errors import Conflict, NotFound
from matrix.graph.database import Database, Row, Transaction

# What became of the source since. One that the reader may not see (any more) is as good as deleted: no quote.
READ_HISTORY = """
CYPHER 25
MATCH (s:Entity:Session {id: $session}) WHERE s.orgId = $org AND s.ownerId = $user
RETURN COLLECT {
  MATCH (s)-[:HAS_MESSAGE]->(m:Message) WHERE m.position >= s.messageCount - $limit
  RETURN {id: m.id, speaker: m.speaker, text: m.text, createdAt: toString(m.createdAt), answerable: m.answerable,
    toolRuns: m.toolRuns, citations: COLLECT {
      MATCH (m)-[:HAS_CITATION]->(c:Citation)
      OPTIONAL MATCH (d:Entity:KnowledgeDocument {id: c.documentId})<-[:HAS_DOCUMENT]-(k:Knowledge)
        WHERE d.deletedAt IS NULL AND k.deletedAt IS NULL AND d.audienceId IN $audiences
      RETURN c {.marker, .chunkId, .documentId, .versionId, .knowledgeId, .documentName, .quote, .page, .url,
        .sectionPath, .start, .end, state: CASE
          WHEN d IS NULL THEN 'DELETED'
          WHEN EXISTS { (c)-[:CITES]->(:KnowledgeChunk)<-[:HAS_CHUNK]-(:DocumentVersion)<-[:LIVE]-(d) } THEN 'CURRENT'
          ELSE 'CHANGED' END}
      ORDER BY c.marker }}
  ORDER BY m.position } AS messages
"""

OPEN_SESSION = """
MERGE (s:Entity {id: $session})
ON CREATE SET s:Session, s.entityType = 'Session', s.orgId = $org, s.ownerId = $user, s.title = $title,
  s.messageCount = 0, s.createdAt = datetime()
SET s.updatedAt = datetime()
RETURN s.entityType = 'Session' AND s.orgId = $org AND s.ownerId = $user AS mine, s.messageCount AS messages
"""

# Writing it locks it, so that a deletion at the same time comes before the turn or takes it along.
CONTINUE_SESSION = """
MATCH (s:Entity:Session {id: $session}) WHERE s.orgId = $org AND s.ownerId = $user
SET s.updatedAt = datetime()
RETURN true AS mine, s.messageCount AS messages
"""

BEGIN_SESSION = """
MATCH (s:Entity:Session {id: $session})
OPTIONAL MATCH (a:Entity:Agent {id: $agent}) WHERE a.orgId = $org
OPTIONAL MATCH (k:Entity:Knowledge {id: $knowledge}) WHERE k.orgId = $org
FOREACH (agent IN CASE WHEN a IS NULL THEN [] ELSE [a] END | MERGE (s)-[:TALKS_WITH]->(agent))
FOREACH (corpus IN CASE WHEN k IS NULL THEN [] ELSE [k] END | MERGE (s)-[:TALKS_ABOUT]->(corpus))
"""

ADD_MESSAGES = """
MATCH (s:Entity:Session {id: $session})
SET s.messageCount = s.messageCount + size($messages)
WITH s
UNWIND $messages AS message
CREATE (s)-[:HAS_MESSAGE]->(m:Entity:Message)
SET m = message, m.entityType = 'Message', m.orgId = $org, m.ownerId = $user, m.sessionId = $session,
  m.createdAt = datetime(), m.updatedAt = datetime()
"""

ADD_CITATIONS = """
MATCH (m:Entity:Message {id: $message})
UNWIND $citations AS citation
CREATE (m)-[:HAS_CITATION]->(c:Entity:Citation)
SET c = citation, c.entityType = 'Citation', c.orgId = $org, c.ownerId = $user,
  c.createdAt = datetime(), c.updatedAt = datetime()
WITH c
MATCH (chunk:Entity:KnowledgeChunk {id: c.chunkId}) WHERE chunk.orgId = $org
CREATE (c)-[:CITES]->(chunk)
"""


class Neo4jSessions:
    """SessionStore on the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def history(self, scope: Scope, session_id: str, limit: int) -> tuple[StoredMessage, ...]:
        """The last `limit` messages in the order in which they were said. Errors: NotFound."""
        row = await self._database.read_one(
            READ_HISTORY,
            session=session_id,
            org=scope.org_id,
            user=scope.user_id,
            audiences=list(scope.audiences),
            limit=limit,
        )
        if row is None:
            raise _no_session(session_id)
        return tuple(_message(message) for message in row["messages"])

    async def save(self, scope: Scope, turn: Turn) -> None:
        """Question, answer and citations, all or nothing; the first turn makes the session. Errors: NotFound (the
        session is somebody else's, or was deleted while it was being answered)."""

        async def write(tx: Transaction) -> None:
            who = {"org": scope.org_id, "user": scope.user_id, "session": turn.session_id}
            opened = await tx.one(OPEN_SESSION if turn.begins else CONTINUE_SESSION, title=turn.title, **who)
            if opened is None or not opened["mine"] or opened["messages"] is None:  # deleted while its lock was awaited
                raise _no_session(turn.session_id)
            if not opened["messages"]:
                await tx.run(
                    BEGIN_SESSION,
                    session=turn.session_id,
                    org=scope.org_id,
                    agent=turn.agent_id,
                    knowledge=turn.knowledge_id,
                )
            await tx.run(ADD_MESSAGES, messages=_messages(turn, opened["messages"]), **who)
            await tx.run(
                ADD_CITATIONS,
                message=turn.answer.message_id,
                org=scope.org_id,
                user=scope.user_id,
                citations=[_stored_citation(citation) for citation in turn.answer.citations],
            )

        try:
            await self._database.write_together(write)
        except Conflict:  # the session or a cited passage went while its lock was waited for: a new look knows
            await self._database.write_together(write)


def _messages(turn: Turn, position: int) -> list[dict[str, object]]:
    answer = turn.answer
    runs = [{"name": r.name, "arguments": r.arguments, "summary": r.summary, "isError": r.is_error}
            for r in answer.tool_runs]  # fmt: skip
    return [
        {"id": new_id(), "position": position, "speaker": Speaker.USER, "text": turn.question},
        {
            "id": answer.message_id,
            "position": position + 1,
            "speaker": Speaker.ASSISTANT,
            "text": answer.text,
            "answerable": answer.answerable,
            "toolRuns": json.dumps(runs, ensure_ascii=False),
            "inputTokens": answer.usage.input_tokens,
            "outputTokens": answer.usage.output_tokens,
        },
    ]


def _stored_citation(citation: Citation) -> dict[str, object]:
    return {
        "id": new_id(),
        "marker": citation.marker,
        "chunkId": citation.chunk_id,
        "documentId": citation.document_id,
        "versionId": citation.version_id,
        "knowledgeId": citation.knowledge_id,
        "documentName": citation.document_name,
        "quote": citation.quote,
        "page": citation.page,
        "url": citation.url,
        "sectionPath": list(citation.section_path),
        "start": citation.start,
        "end": citation.end,
        "state": citation.state,
    }


def _message(row: Row) -> StoredMessage:
    return StoredMessage(
        id=row["id"],
        speaker=Speaker(row["speaker"]),
        text=row["text"],
        created_at=datetime.fromisoformat(row["createdAt"]),
        answerable=row["answerable"],
        citations=tuple(_citation(citation) for citation in row["citations"]),
        tool_runs=tuple(
            ToolRun(run["name"], run["arguments"], run["summary"], run["isError"])
            for run in json.loads(row["toolRuns"] or "[]")
        ),
    )


def _citation(row: Row) -> Citation:
    return Citation(
        marker=row["marker"],
        chunk_id=row["chunkId"],
        document_id=row["documentId"],
        version_id=row["versionId"],
        knowledge_id=row["knowledgeId"],
        document_name=row["documentName"],
        quote="" if row["state"] == "DELETED" else row["quote"] or "",
        page=row["page"],
        url=row["url"],
        section_path=tuple(row["sectionPath"] or ()),
        start=row["start"],
        end=row["end"],
        state=row["state"],
    )


def _no_session(session_id: str) -> NotFound:
    return NotFound(f"There is no session «{session_id[:80]}».")
