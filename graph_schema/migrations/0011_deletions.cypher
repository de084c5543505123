// Proof of a deletion: what still names a corpus.
CREATE INDEX chunk_corpus IF NOT EXISTS FOR (n:KnowledgeChunk) ON (n.scopeId);
CREATE INDEX version_corpus IF NOT EXISTS FOR (n:DocumentVersion) ON (n.knowledgeId);
CREATE INDEX citation_corpus IF NOT EXISTS FOR (n:Citation) ON (n.knowledgeId);
CREATE INDEX job_corpus IF NOT EXISTS FOR (n:IngestJob) ON (n.knowledgeId);
