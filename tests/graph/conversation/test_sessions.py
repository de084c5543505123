"""Conversations: saved whole, read back in order, private to their user."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import replace
from typing import LiteralString

import pytest

from matrix.domain.access import Scope
from matrix.domain.chat import Answer, Citation, Speaker, ToolRun, Turn, Usage
from matrix.domain.entities import EntityFilter, EntityType
from matrix.domain.ids import new_id
from matrix.errors import NotFound
from matrix.graph.conversation.sessions import Neo4jSessions
from matrix.graph.database import Database, Transaction
from matrix.graph.entities.entities import DELETE_ENTITY, Neo4jEntities
from tests.graph.scopes import add_document, scope

pytestmark = pytest.mark.feature("F6")
Types = Mapping[str, EntityType]

BLOCKED = "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status"
ADD_A_MESSAGE = """
MATCH (s:Entity:Session {id: $session})
SET s.messageCount = s.messageCount + 1
CREATE (s)-[:HAS_MESSAGE]->(:Entity:Message {id: $session + '-late', entityType: 'Message', orgId: s.orgId})
"""


@pytest.fixture
def sessions(database: Database) -> Neo4jSessions:
    return Neo4jSessions(database)


def turn(session_id: str, question: str = "Why?", *citations: Citation, agent: str | None = None) -> Turn:
    runs = (ToolRun("search_knowledge", {"query": question, "top_k": 3}, "3 passages"),)
    answer = Answer(session_id, new_id(), f"Because {question}", True, citations, runs, Usage(7, 5))
    return Turn(session_id, agent, None, question, answer, title=question)


async def test_a_turn_comes_back_as_it_was_saved(sessions: Neo4jSessions, ours: Scope) -> None:
    saved = turn("s-" + new_id())
    await sessions.save(ours, saved)
    question, answer = await sessions.history(ours, saved.session_id, 10)
    assert (question.speaker, question.text, question.answerable) == (Speaker.USER, "Why?", None)
    assert (answer.speaker, answer.text, answer.answerable) == (Speaker.ASSISTANT, "Because Why?", True)
    assert answer.id == saved.answer.message_id
    assert answer.tool_runs == saved.answer.tool_runs
    assert answer.created_at.tzinfo is not None


async def test_history_is_the_last_messages_in_order(sessions: Neo4jSessions, ours: Scope) -> None:
    session_id = new_id()
    for number in range(4):
        await sessions.save(ours, turn(session_id, f"q{number}"))
    last = await sessions.history(ours, session_id, 3)
    assert [message.text for message in last] == ["Because q2", "q3", "Because q3"]
    assert await sessions.history(ours, session_id, 0) == ()
    assert len(await sessions.history(ours, session_id, 100)) == 8


async def test_turns_saved_at_once_do_not_mix(sessions: Neo4jSessions, ours: Scope) -> None:
    session_id = new_id()
    await asyncio.gather(*(sessions.save(ours, turn(session_id, f"q{number}")) for number in range(5)))
    messages = await sessions.history(ours, session_id, 100)
    assert len(messages) == 10
    for question, answer in zip(messages[::2], messages[1::2], strict=True):
        assert answer.text == f"Because {question.text}"


async def test_a_session_is_private_to_its_user(sessions: Neo4jSessions, ours: Scope, theirs: Scope) -> None:
    saved = turn(new_id())
    await sessions.save(ours, saved)
    colleague = scope(ours.org_id, "eve")
    same_id_elsewhere = replace(theirs, user_id=ours.user_id)
    for other in (colleague, theirs, same_id_elsewhere):
        with pytest.raises(NotFound):
            await sessions.history(other, saved.session_id, 10)
        with pytest.raises(NotFound):
            await sessions.save(other, turn(saved.session_id, "mine now"))
    assert len(await sessions.history(ours, saved.session_id, 10)) == 2
    with pytest.raises(NotFound):
        await sessions.history(ours, new_id(), 10)


async def test_an_id_of_something_else_makes_no_session(
    sessions: Neo4jSessions, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    corpus = await entities.create(ours, types["knowledge"], "k", {"name": "K"})
    with pytest.raises(NotFound):
        await sessions.save(ours, turn(corpus.id))
    assert await entities.get(ours, types["knowledge"], "k") == corpus


async def test_sessions_and_messages_are_entities(
    sessions: Neo4jSessions, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    agent = await entities.create(ours, types["agents"], "helper", {"name": "Helper"})
    session_id = new_id()
    for question in ("first", "second"):
        await sessions.save(ours, turn(session_id, question, agent=agent.id))
    session = await entities.get(ours, types["sessions"], session_id)
    assert (session.properties["title"], session.properties["agent"]) == ("first", agent.id)
    assert session.properties["messageCount"] == 4
    seen: list[object] = []
    cursor = None
    while True:
        page = await entities.list(ours, types["messages"], EntityFilter({"session": session_id}), 3, cursor)
        seen += [item.properties["text"] for item in page.items]
        assert {item.properties["session"] for item in page.items} == {session_id}
        if (cursor := page.next_cursor) is None:
            break
    assert seen == ["first", "Because first", "second", "Because second"]
    renamed = await entities.update(ours, types["sessions"], session_id, {"title": "Renamed"})
    assert renamed.properties["title"] == "Renamed"
    await entities.delete(ours, types["agents"], agent.id)
    assert (await entities.get(ours, types["sessions"], session_id)).properties["agent"] is None


async def test_deleting_a_session_takes_messages_and_citations(
    database: Database, sessions: Neo4jSessions, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    saved = turn(new_id(), "Why?", cited("c", "d"), cited("c2", "d"))
    kept = turn(new_id(), "Kept?")
    await sessions.save(ours, saved)
    await sessions.save(ours, kept)
    await entities.delete(ours, types["sessions"], saved.session_id)
    rows = await database.read(
        "MATCH (n:Entity {orgId: $org}) RETURN n.entityType AS type, count(*) AS count ORDER BY type", org=ours.org_id
    )
    assert [(row["type"], row["count"]) for row in rows] == [("Message", 2), ("Session", 1)]


class Held:
    """A transaction that has written to a session and does not end yet: whoever else writes to it waits."""

    def __init__(self, database: Database, query: LiteralString, session_id: str) -> None:
        self._database, self._query, self._session = database, query, session_id
        self._written, self._end = asyncio.Event(), asyncio.Event()

    async def while_waits(self, work: Awaitable[None]) -> BaseException | None:
        """Begins `work` while this holds the session, ends once it waits, and answers the error that it came to."""
        async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
            tasks.create_task(self._hold())
            await self._written.wait()
            waiting = asyncio.ensure_future(work)
            while not waiting.done() and not await self._database.read(BLOCKED):  # noqa: ASYNC110  # the server's state
                await asyncio.sleep(0.02)
            self._end.set()
        [outcome] = await asyncio.gather(waiting, return_exceptions=True)
        return outcome

    async def _hold(self) -> None:
        async def write(tx: Transaction) -> None:
            await tx.run(self._query, session=self._session)
            self._written.set()
            await self._end.wait()

        await self._database.write_together(write)


async def left_of(database: Database, who: Scope) -> list[str]:
    rows = await database.read(
        "MATCH (n:Entity {orgId: $org}) RETURN n.entityType AS type ORDER BY type", org=who.org_id
    )
    return [row["type"] for row in rows]


async def test_a_deletion_takes_along_the_turn_that_is_being_saved(
    database: Database, sessions: Neo4jSessions, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    saved = turn(new_id())
    await sessions.save(ours, saved)
    held = Held(database, ADD_A_MESSAGE, saved.session_id)
    assert await held.while_waits(entities.delete(ours, types["sessions"], saved.session_id)) is None
    assert await left_of(database, ours) == []


async def test_a_turn_that_waited_for_the_deletion_of_its_session_is_not_saved(
    database: Database, sessions: Neo4jSessions, ours: Scope
) -> None:
    first = turn(new_id())
    await sessions.save(ours, first)
    held = Held(database, DELETE_ENTITY.replace("$id", "$session"), first.session_id)
    later = replace(turn(first.session_id, "And then?"), begins=False)
    assert isinstance(await held.while_waits(sessions.save(ours, later)), NotFound)
    assert await left_of(database, ours) == []


async def test_a_turn_does_not_bring_a_deleted_session_back(
    database: Database, sessions: Neo4jSessions, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    first = turn(new_id())
    later = replace(turn(first.session_id, "And then?"), begins=False)
    await sessions.save(ours, first)
    await sessions.save(ours, later)
    assert len(await sessions.history(ours, first.session_id, 10)) == 4
    await entities.delete(ours, types["sessions"], first.session_id)
    with pytest.raises(NotFound):
        await sessions.save(ours, later)
    assert await left_of(database, ours) == []


def cited(chunk_id: str, document_id: str, marker: int = 1) -> Citation:
    return Citation(
        marker, chunk_id, document_id, "v", "k", "a.pdf", "the quote", 3, "https://example.org", ("Part",), 10, 19
    )


@pytest.mark.feature("F2")
async def test_citations_are_nodes_that_cite_the_passage_and_know_what_became_of_it(
    database: Database, sessions: Neo4jSessions, entities: Neo4jEntities, types: Types, ours: Scope
) -> None:
    corpus = await entities.create(ours, types["knowledge"], "k", {"name": "K"})
    document = await add_document(database, ours, corpus.id, "a.pdf", ["the quote"])
    citation = cited(f"{document}-0", document)
    saved = turn(new_id(), "Why?", citation)
    await sessions.save(ours, saved)

    async def read(who: Scope = ours) -> Citation:
        [found] = (await sessions.history(who, saved.session_id, 1))[0].citations
        return found

    assert await read() == citation
    rows = await database.read(
        "MATCH (m:Message)-[:HAS_CITATION]->(c:Citation:Entity)-[:CITES]->(k:KnowledgeChunk {id: $chunk}) "
        "RETURN m.id AS message, c.quote AS quote",
        chunk=citation.chunk_id,
    )
    assert [dict(row) for row in rows] == [{"message": saved.answer.message_id, "quote": "the quote"}]
    await database.write("MATCH (:Entity {id: $id})-[live:LIVE]->() DELETE live", id=document)
    assert await read() == replace(citation, state="CHANGED")
    outsider = replace(ours, audiences=())
    assert await read(outsider) == replace(citation, state="DELETED", quote="")
    await database.write("MATCH (n:Entity {id: $id}) SET n.deletedAt = datetime()", id=document)
    assert await read() == replace(citation, state="DELETED", quote="")


async def test_a_citation_of_another_organizations_passage_points_nowhere(
    database: Database, sessions: Neo4jSessions, entities: Neo4jEntities, types: Types, ours: Scope, theirs: Scope
) -> None:
    corpus = await entities.create(theirs, types["knowledge"], "k", {"name": "K"})
    document = await add_document(database, theirs, corpus.id, "a.pdf", ["secret"])
    await sessions.save(ours, turn(new_id(), "Why?", cited(f"{document}-0", document)))
    assert await database.read("MATCH (c:Citation {orgId: $org})-[:CITES]->() RETURN c", org=ours.org_id) == []
