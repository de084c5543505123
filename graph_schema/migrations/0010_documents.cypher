// Versions, passages and jobs.

CREATE CONSTRAINT version_number IF NOT EXISTS
FOR (n:DocumentVersion) REQUIRE (n.documentId, n.number) IS UNIQUE;

// Proof of a deletion: what still names a document.
CREATE INDEX chunk_document IF NOT EXISTS FOR (n:KnowledgeChunk) ON (n.documentId);
CREATE INDEX citation_document IF NOT EXISTS FOR (n:Citation) ON (n.documentId);
CREATE INDEX job_document IF NOT EXISTS FOR (n:IngestJob) ON (n.documentId);

// What is due now, and whose. A finished job has no `dueAt`, so these hold only work that is still to be done.
CREATE INDEX job_due IF NOT EXISTS FOR (n:IngestJob) ON (n.dueAt);
CREATE INDEX job_due_of IF NOT EXISTS FOR (n:IngestJob) ON (n.orgId, n.dueAt);
CREATE INDEX job_running_of IF NOT EXISTS FOR (n:IngestJob) ON (n.orgId, n.state, n.dueAt);

// Corpora whose counts are to be taken again.
CREATE INDEX knowledge_uncounted IF NOT EXISTS FOR (n:Knowledge) ON (n.uncountedSince);
