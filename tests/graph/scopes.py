"""Two organizations, and the people in them, for tests of stores: made-up ids that no other test module uses."""

from __future__ import annotations

import itertools

from matrix.domain.access import Role, Scope
from matrix.domain.ids import new_id
from matrix.graph.database import Database

_numbers = itertools.count()


def scope(org_id: str, user: str = "ann", role: Role = Role.OWNER) -> Scope:
    """A member of the organization, whom its audience of everybody admits."""
    return Scope(org_id, f"{user}-{org_id}", role, (f"everybody-{org_id}",))


def new_org() -> str:
    return f"org{next(_numbers)}x{new_id()[-8:]}"


async def add_member(database: Database, who: Scope, name: str = "Ann") -> None:
    await database.write(
        """
        MERGE (o:Entity {id: $org}) SET o:Organization, o.entityType = 'Organization', o.orgId = 'platform',
          o.slug = $org, o.key = $org, o.name = 'Organization', o.createdAt = datetime(), o.updatedAt = datetime()
        CREATE (u:Entity:User {id: $user, entityType: 'User', orgId: 'platform', email: $user + '@example.org',
          name: $name, passwordHash: 'secret', createdAt: datetime(), updatedAt: datetime()})
        CREATE (u)-[:MEMBER_OF {role: $role}]->(o)
        """,
        org=who.org_id,
        user=who.user_id,
        name=name,
        role=who.role.name,
    )


async def add_document(
    database: Database, who: Scope, knowledge_id: str, name: str, texts: list[str], audience: str | None = None
) -> str:
    """A document whose live version has these passages; returns its id. Passages are `<document>-<position>`."""
    document_id = new_id()
    await database.write(
        """
        MATCH (k:Entity:Knowledge {id: $knowledge})
        CREATE (k)-[:HAS_DOCUMENT]->(d:Entity:KnowledgeDocument {id: $document, entityType: 'KnowledgeDocument',
          orgId: $org, knowledgeId: $knowledge, nameKey: $name, name: $name, audienceId: $audience, version: 1,
          status: 'COMPLETED', sourceUrl: 'https://example.org/' + $name, tags: ['red', 'blue'],
          createdAt: datetime(), updatedAt: datetime()})
        CREATE (d)-[:HAS_VERSION]->(v:Entity:DocumentVersion {id: $document + '-v', entityType: 'DocumentVersion',
          orgId: $org, number: 1, createdAt: datetime(), updatedAt: datetime()})
        CREATE (d)-[:LIVE]->(v)
        WITH v
        UNWIND range(0, size($texts) - 1) AS i
        CREATE (v)-[:HAS_CHUNK {position: i, page: i + 1, start: i * 10, end: i * 10 + 10}]->
          (c:Entity:KnowledgeChunk {id: $document + '-' + i, entityType: 'KnowledgeChunk', orgId: $org,
          scopeId: $knowledge, documentId: $document, audienceId: $audience, text: $texts[i], language: 'en',
          sectionPath: ['Part', 'Chapter'], scopeTokens: 'o_' + $org, createdAt: datetime(), updatedAt: datetime()})
        """,
        knowledge=knowledge_id,
        document=document_id,
        org=who.org_id,
        name=name,
        audience=audience or who.audiences[0],
        texts=texts,
    )
    return document_id
