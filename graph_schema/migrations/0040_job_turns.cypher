// Whose turn it is within an organization. A finished job has no `turnAt`, so this holds only work that is to be done.
CREATE INDEX job_turn IF NOT EXISTS FOR (n:IngestJob) ON (n.orgId, n.lane, n.turnAt);

// Work that waits already: it came before all that comes from now on.
MATCH (j:IngestJob) WHERE j.dueAt IS NOT NULL AND j.turnAt IS NULL
SET j.turnAt = j.createdAt, j.lane = CASE j.kind WHEN 'INGEST' THEN 'LONG' ELSE 'QUICK' END;
