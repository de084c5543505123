// What changed in a corpus since a moment: progress is told from this.
CREATE INDEX document_changes IF NOT EXISTS
FOR (n:KnowledgeDocument) ON (n.knowledgeId, n.updatedAt);
