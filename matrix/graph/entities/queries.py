"""The Cypher that reads entities of any type: finding by ids or keys, and pages of lists. Names of whole queries have
no underscore before them. No label, relationship type or property name comes from a client: labels are compared as
values of `entityType`, and properties are looked up by names out of the type's definition.

Lists name every column of an index in ORDER BY: only then does the planner read the index in order and stop after a
page, whatever the number of chunks beside it (measured: 7 database hits instead of 20,001). The hints keep a plan that
was made while the database was empty from scanning a full one.
"""

from __future__ import annotations

from typing import LiteralString

# Relationship types are spelled out: with a type from a parameter, Neo4j expands all relationships of a node, and an
# agent may have a million memories. A test compares these with the type files.
OUTGOING = "USES_MODEL|USES_KNOWLEDGE|USES_TOOL|TALKS_WITH|TALKS_ABOUT|REFERS_TO"
INCOMING = "MEMBER_OF"

_IS_LINK = "type(r) = link.type AND coalesce(r.property, link.name) = link.name"
_ALL_EQUAL = """
  AND all(f IN $equals WHERE coalesce(n[f.name], f.default) = f.value)
  AND all(f IN $contains WHERE f.value IN n[f.name])
  AND ($text IS NULL OR toLower(coalesce(n.name, n.title, n.text, '')) CONTAINS toLower($text)
       OR n.key CONTAINS toLower($text))
"""
_ALL_LINKED = f"""
  AND all(link IN $outgoingTo WHERE EXISTS {{ (n)-[r:{OUTGOING}]->(:Entity {{id: link.id}}) WHERE {_IS_LINK} }})
  AND all(link IN $incomingFrom WHERE EXISTS {{ (n)<-[r:{INCOMING}]-(:Entity {{id: link.id}}) WHERE {_IS_LINK} }})
"""

# What the scope may see of a type, apart from its organization. One condition for all types would take Neo4j a second
# to plan, so each has its own queries.
_UNDELETED = "n.deletedAt IS NULL"
_OWN = "n.deletedAt IS NULL AND n.ownerId = $owner"
_ORGANIZATION = "n.id = $org"
_KNOWLEDGE = "n.deletedAt IS NULL AND (n.audienceId IS NULL OR n.audienceId IN $audiences)"
_DOCUMENT = """n.deletedAt IS NULL AND n.audienceId IN $audiences AND EXISTS {
  (n)<-[:HAS_DOCUMENT]-(k:Knowledge) WHERE k.deletedAt IS NULL }"""
_JOB = """NOT EXISTS {
  (d:Entity:KnowledgeDocument {id: n.documentId}) WHERE NOT d.audienceId IN $audiences }"""
TARGET_VISIBLE = """
  t.deletedAt IS NULL AND (t.ownerId IS NULL OR t.ownerId = $user)
  AND (NOT t.entityType IN ['KnowledgeDocument', 'KnowledgeChunk', 'Knowledge']
       OR t.audienceId IS NULL OR t.audienceId IN $audiences)
"""

_COLUMNS = """
  n.id AS id, n.orgId AS orgId, n.key AS key, toString(n.createdAt) AS createdAt, toString(n.updatedAt) AS updatedAt
"""
_LINKS = f"""
  COLLECT {{ UNWIND $outgoing AS link
    MATCH (n)-[r:{OUTGOING}]->(t:Entity) WHERE {_IS_LINK} AND {TARGET_VISIBLE}
    RETURN {{name: link.name, id: t.id, position: coalesce(r.position, 0)}} }}
  + COLLECT {{ UNWIND $incoming AS link
    MATCH (n)<-[r:{INCOMING}]-(t:Entity) WHERE {_IS_LINK} AND {TARGET_VISIBLE}
    RETURN {{name: link.name, id: t.id, position: coalesce(r.position, 0)}} }} AS links
"""
_ENTITY = f"RETURN {_COLUMNS}, [name IN $names | n[name]] AS values, {_LINKS}"
# Counts tell that a document is there, so everybody gets those of what they may see.
_CORPUS = f"""
RETURN {_COLUMNS}, {_LINKS}, [name IN $names |
  CASE WHEN name IN ['documentCount', 'chunkCount'] AND n.countedAudiences IS NOT NULL
    THEN reduce(sum = 0, i IN range(0, size(n.countedAudiences) - 1) | sum + CASE
      WHEN NOT n.countedAudiences[i] IN $audiences THEN 0
      WHEN name = 'documentCount' THEN n.countedDocuments[i] ELSE n.countedChunks[i] END)
    ELSE n[name] END] AS values
"""

# ------------------------------------------------------------------------------------------------ by id or key


def _find(visible: LiteralString, columns: LiteralString = _ENTITY) -> LiteralString:
    return f"""
CYPHER 25
UNWIND $refs AS ref
CALL (ref) {{
  MATCH (n:Entity {{id: ref}}) RETURN n
  UNION
  UNWIND $orgs AS org
  MATCH (n:Entity {{orgId: org, entityType: $type, key: ref}}) RETURN n
}}
WITH ref, n WHERE n.orgId IN $orgs AND n.entityType = $type AND {visible}
{columns}, ref
"""


FIND_ENTITIES = _find(_UNDELETED)
FIND_OWNED = _find(_OWN)
FIND_ORGANIZATIONS = _find(_ORGANIZATION)
FIND_KNOWLEDGE = _find(_KNOWLEDGE, _CORPUS)
FIND_DOCUMENTS = _find(_DOCUMENT)
FIND_JOBS = _find(_JOB)

FIND_MEMBERS = f"""
CYPHER 25
UNWIND $refs AS ref
MATCH (n:Entity:User {{id: ref}})-[m:MEMBER_OF]->(:Organization {{id: $org}})
RETURN {_COLUMNS}, [name IN $names | coalesce(m[name], n[name])] AS values, [] AS links, ref
"""

_SERVING = """
  d.orgId = $org AND d.deletedAt IS NULL AND d.audienceId IN $audiences
  AND EXISTS { (d)<-[:HAS_DOCUMENT]-(k:Knowledge) WHERE k.deletedAt IS NULL }
"""
_CHUNK = f"""
RETURN {_COLUMNS}, [] AS links, d.id AS documentId, place.position AS position,
  [name IN $names | CASE name WHEN 'sourceUrl' THEN coalesce(n.sourceUrl, d.sourceUrl)
                              ELSE coalesce(place[name], n[name]) END] AS values
"""

FIND_CHUNKS = f"""
CYPHER 25
UNWIND $refs AS ref
MATCH (n:Entity:KnowledgeChunk {{id: ref}})<-[place:HAS_CHUNK]-(:DocumentVersion)<-[:LIVE]-(d:KnowledgeDocument)
WHERE {_SERVING}
{_CHUNK}, ref
"""

# ------------------------------------------------------------------------------------------------ pages


def _list(visible: LiteralString, columns: LiteralString = _ENTITY) -> LiteralString:
    return f"""
CYPHER 25
MATCH (n:Entity) USING INDEX SEEK n:Entity(orgId, entityType, id)
WHERE n.orgId = $org AND n.entityType = $type AND n.id < $before
WITH n ORDER BY n.orgId DESC, n.entityType DESC, n.id DESC
WHERE {visible} {_ALL_EQUAL} {_ALL_LINKED}
WITH n LIMIT $limit
{columns}
"""


LIST_ENTITIES = _list(_UNDELETED)
LIST_KNOWLEDGE = _list(_KNOWLEDGE, _CORPUS)
LIST_DOCUMENTS = _list(_DOCUMENT)
LIST_JOBS = _list(_JOB)

LIST_OWNED = f"""
CYPHER 25
MATCH (n:Entity) USING INDEX SEEK n:Entity(orgId, entityType, ownerId, id)
WHERE n.orgId = $org AND n.entityType = $type AND n.ownerId = $owner AND n.id < $before
WITH n ORDER BY n.orgId DESC, n.entityType DESC, n.ownerId DESC, n.id DESC
WHERE {_UNDELETED} {_ALL_EQUAL} {_ALL_LINKED}
WITH n LIMIT $limit
{_ENTITY}
"""

LIST_SHARED = f"""
CYPHER 25
MATCH (n:Entity) WHERE n.orgId IN $orgs AND n.entityType = $type AND n.id < $before
AND {_UNDELETED} {_ALL_EQUAL} {_ALL_LINKED}
WITH n ORDER BY n.id DESC LIMIT $limit
{_ENTITY}
"""

LIST_ORGANIZATIONS = f"""
CYPHER 25
MATCH (n:Entity:Organization {{id: $org}}) WHERE n.id < $before {_ALL_EQUAL}
WITH n LIMIT $limit
{_ENTITY}
"""

LIST_MEMBERS = f"""
CYPHER 25
MATCH (n:User)-[m:MEMBER_OF]->(:Entity:Organization {{id: $org}}) WHERE n.id < $before {_ALL_EQUAL}
WITH n, m ORDER BY n.id DESC LIMIT $limit
RETURN {_COLUMNS}, [name IN $names | coalesce(m[name], n[name])] AS values, [] AS links
"""

LIST_DOCUMENTS_OF_KNOWLEDGE = f"""
CYPHER 25
MATCH (n:KnowledgeDocument) USING INDEX SEEK n:KnowledgeDocument(knowledgeId, id)
WHERE n.knowledgeId = $start AND n.id < $before
WITH n ORDER BY n.knowledgeId DESC, n.id DESC
WHERE n.orgId = $org AND {_DOCUMENT} {_ALL_EQUAL} {_ALL_LINKED}
WITH n LIMIT $limit
{_ENTITY}
"""

LIST_MESSAGES_OF_SESSION = f"""
CYPHER 25
MATCH (:Entity:Session {{id: $start}})-[:HAS_MESSAGE]->(n:Message)
WHERE n.position > $after AND n.orgId = $org AND {_OWN} {_ALL_EQUAL} {_ALL_LINKED}
WITH n ORDER BY n.position LIMIT $limit
{_ENTITY}, n.position AS position
"""

# Passages come in the order in which they are read: newest document first, then by position. `$before` is the document
# that the last page ended in, `$after` its last position.
_PASSAGES = f"""
MATCH (d)-[:LIVE]->(:DocumentVersion)-[place:HAS_CHUNK]->(n:KnowledgeChunk)
WHERE {_SERVING} AND (d.id < $before OR place.position > $after)
  {_ALL_EQUAL.replace("n[f.name]", "place[f.name], n[f.name]", 1)}
WITH d, place, n ORDER BY ORDERED place.position LIMIT $limit
{_CHUNK}
"""

LIST_CHUNKS = """
CYPHER 25
MATCH (d:Entity) USING INDEX SEEK d:Entity(orgId, entityType, id)
WHERE d.orgId = $org AND d.entityType = 'KnowledgeDocument' AND d.id <= $before
""" + _PASSAGES.replace("ORDERED", "d.orgId DESC, d.entityType DESC, d.id DESC,")

LIST_CHUNKS_OF_KNOWLEDGE = """
CYPHER 25
MATCH (d:KnowledgeDocument) USING INDEX SEEK d:KnowledgeDocument(knowledgeId, id)
WHERE d.knowledgeId = $start AND d.id <= $before
""" + _PASSAGES.replace("ORDERED", "d.knowledgeId DESC, d.id DESC,")

LIST_CHUNKS_OF_DOCUMENT = """
CYPHER 25
MATCH (d:Entity:KnowledgeDocument {id: $start})
""" + _PASSAGES.replace("ORDERED", "")
