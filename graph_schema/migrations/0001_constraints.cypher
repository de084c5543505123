// What must be unique, and what lists are read by. Every statement may run twice: a start that was killed in the
// middle begins the file again.

CREATE CONSTRAINT entity_id IF NOT EXISTS
FOR (n:Entity) REQUIRE n.id IS UNIQUE;

// Nodes without a key (chunks, messages, users) stay outside.
CREATE CONSTRAINT entity_key IF NOT EXISTS
FOR (n:Entity) REQUIRE (n.orgId, n.entityType, n.key) IS UNIQUE;

// Two uploads of one name at once: the second becomes a version of the first.
CREATE CONSTRAINT document_name IF NOT EXISTS
FOR (n:KnowledgeDocument) REQUIRE (n.knowledgeId, n.nameKey) IS UNIQUE;

// A page of any type of an organization, newest first.
CREATE INDEX entity_list IF NOT EXISTS
FOR (n:Entity) ON (n.orgId, n.entityType, n.id);

// The same of what is private to one person: sessions, messages, memories, API keys.
CREATE INDEX entity_owned IF NOT EXISTS
FOR (n:Entity) ON (n.orgId, n.entityType, n.ownerId, n.id);

// The documents of a corpus, newest first.
CREATE INDEX document_list IF NOT EXISTS
FOR (n:KnowledgeDocument) ON (n.knowledgeId, n.id);
