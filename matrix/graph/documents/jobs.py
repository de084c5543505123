"""The queue of background work, as nodes. `dueAt` is when a job may be claimed: now, later after a failure, or when
the lease of a running one ends. `turnAt` orders the due jobs of an organization, by the rule of `domain.jobs.turn_of`.
A finished job has neither. All times are the database's. See docs/decisions/0006."""

from __future__ import annotations

import random
from collections.abc import Sequence

from matrix.domain.ids import new_id
from matrix.domain.jobs import JobKind, JobLane, Lease, turn_of
from matrix.graph.database import Database, Row, Transaction
from matrix.graph.documents.fence import fence_job

FIRST_OF_EACH = 4  # candidates of one organization: workers spread over them instead of queueing for one lock
ORGANIZATIONS = 8
EXPIRED_AFTER_SECONDS = 60

# The least busy organizations first, chance among equals: a large backlog does not hold up the others. Only the asked
# lanes count, so that who has a long job running is not behind in the quick lane. Index-backed order needs all columns.
DUE_JOBS = """
MATCH (some:IngestJob) WHERE some.dueAt <= datetime()
WITH some LIMIT 1
MATCH (o:Organization)
CALL (o) {
  UNWIND $lanes AS lane
  CALL (o, lane) {
    MATCH (j:IngestJob)
    USING INDEX j:IngestJob(orgId, lane, turnAt)
    WHERE j.orgId = o.id AND j.lane = lane AND j.turnAt > datetime({epochSeconds: 0}) AND j.dueAt <= datetime()
    WITH j ORDER BY j.orgId, j.lane, j.turnAt LIMIT $firstOfEach
    RETURN j
  }
  WITH j ORDER BY j.turnAt LIMIT $firstOfEach
  RETURN collect({id: j.id, kind: j.kind, lane: j.lane}) AS jobs
}
WITH o, jobs WHERE size(jobs) > 0
RETURN jobs, COUNT { MATCH (r:IngestJob)
  WHERE r.orgId = o.id AND r.state = 'RUNNING' AND r.dueAt > datetime() AND r.lane IN $lanes } AS running
ORDER BY running, rand() LIMIT $organizations
"""

LOCK_CANDIDATE = """
MATCH (j:IngestJob:Entity {id: $job})
SET j.locked = true
RETURN j.dueAt <= datetime.realtime() AS due
"""

TAKE_JOB = """
MATCH (j:IngestJob:Entity {id: $job})
SET j.state = 'RUNNING', j.token = j.token + 1, j.attempts = j.attempts + 1, j.worker = $worker,
  j.dueAt = datetime.realtime() + duration({milliseconds: $milliseconds}), j.updatedAt = datetime.realtime()
RETURN j.kind AS kind, j.orgId AS org, j.subjectId AS subject, j.token AS token, j.attempts AS attempt,
  j.retries AS retries
"""

PROLONG_LEASE = """
MATCH (j:IngestJob:Entity {id: $job})
SET j.dueAt = datetime.realtime() + duration({milliseconds: $milliseconds})
"""

PUT_OFF_JOB = """
MATCH (j:IngestJob:Entity {id: $job})
SET j.state = 'QUEUED', j.reason = $reason, j.retries = j.retries + $retries, j.updatedAt = datetime.realtime(),
  j.dueAt = datetime.realtime() + duration({milliseconds: $milliseconds})
"""

END_JOB = """
MATCH (j:IngestJob:Entity {id: $job})
SET j.state = $state, j.reason = $reason, j.updatedAt = datetime.realtime()
REMOVE j.dueAt, j.turnAt, j.worker
"""

ADD_JOB = """
CREATE (j:Entity:IngestJob {id: $job, entityType: 'IngestJob', orgId: $org, kind: $kind, state: 'QUEUED',
  subjectId: $subject, documentId: $document, knowledgeId: $knowledge, token: 0, attempts: 0, retries: 0,
  lane: $lane, turnAt: datetime.realtime() + duration({milliseconds: $milliseconds}),
  dueAt: datetime.realtime(), createdAt: datetime.realtime(), updatedAt: datetime.realtime()})
WITH j
MATCH (v:DocumentVersion:Entity {id: $subject})
CREATE (j)-[:PROCESSES]->(v)
"""

# A growing token fences off whoever works on them now.
CANCEL_JOBS_OF_DOCUMENT = """
MATCH (j:IngestJob) WHERE j.documentId = $document AND j.state IN ['QUEUED', 'RUNNING'] AND j.kind IN $kinds
SET j.locked = true
WITH j WHERE j.dueAt IS NOT NULL
SET j.state = 'CANCELLED', j.token = j.token + 1, j.reason = $reason, j.updatedAt = datetime.realtime()
REMOVE j.dueAt, j.turnAt, j.worker
"""

# A minute of grace: who merely lags keeps the job.
EXPIRED_JOBS = """
MATCH (j:IngestJob)
WHERE j.dueAt <= datetime() - duration({seconds: $grace}) AND j.state = 'RUNNING'
RETURN j.id AS job, j.documentId AS document LIMIT 100
"""

LOCK_DOCUMENT_OF_JOB = """
MATCH (d:KnowledgeDocument:Entity {id: $document})
SET d.locked = true
"""

RELEASE_JOB = """
MATCH (j:IngestJob:Entity {id: $job})
SET j.locked = true
WITH j WHERE j.state = 'RUNNING' AND j.dueAt <= datetime.realtime() - duration({seconds: $grace})
SET j.state = 'QUEUED', j.token = j.token + 1, j.updatedAt = datetime.realtime()
REMOVE j.worker
WITH j
OPTIONAL MATCH (j)-[:PROCESSES]->(v:DocumentVersion)<-[:HAS_VERSION]-(d:KnowledgeDocument)
WHERE v.status = 'PROCESSING'
SET v.status = 'PENDING'
WITH j, CASE WHEN d.version = v.number THEN d END AS shown
SET shown.status = 'PENDING', shown.step = 'waiting for a worker'
RETURN j.id AS job
"""


class Jobs:
    """JobQueue on the graph."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, worker: str, lease_seconds: float, *, quick_only: bool = False) -> Lease | None:
        """A due job, now leased to `worker`; None when there is none, or others were quicker.

        Of the least busy organization, the one whose turn comes first: upkeep, then files in the order in which they
        came, where every 10 KiB count as a second later. `quick_only` asks for small files and upkeep alone.
        """
        lanes = [JobLane.QUICK] if quick_only else list(JobLane)
        rows = await self._database.read(DUE_JOBS, lanes=lanes, firstOfEach=FIRST_OF_EACH, organizations=ORGANIZATIONS)
        for row in rows:
            lease = await self._take(_like_the_first(row["jobs"]), worker, lease_seconds)
            if lease is not None:
                return lease
        return None

    async def heartbeat(self, lease: Lease, lease_seconds: float) -> None:
        """Errors: LeaseLost."""

        async def prolong(tx: Transaction) -> None:
            await fence_job(tx, lease)
            await tx.run(PROLONG_LEASE, job=lease.job_id, milliseconds=_milliseconds(lease_seconds))

        await self._database.write_together(prolong)

    async def finish(self, lease: Lease) -> None:
        await self._end(lease, "DONE", None)

    async def fail(self, lease: Lease, reason: str) -> None:
        await self._end(lease, "FAILED", reason)

    async def retry_later(self, lease: Lease, seconds: float, reason: str) -> None:
        """Gives the lease back; the job is due again after `seconds`. Giving it back at once counts as no retry."""

        async def put_off(tx: Transaction) -> None:
            await fence_job(tx, lease)
            retries = 1 if seconds > 0 else 0
            await tx.run(
                PUT_OFF_JOB, job=lease.job_id, reason=reason, retries=retries, milliseconds=_milliseconds(seconds)
            )

        await self._database.write_together(put_off)

    async def release_expired(self) -> int:
        """Jobs whose worker is dead wait again, and their documents say so, even while nobody claims them. Returns
        how many. Run it now and then in a process that is no worker."""
        released = 0
        for row in await self._database.read(EXPIRED_JOBS, grace=EXPIRED_AFTER_SECONDS):

            async def release(tx: Transaction, row: Row = row) -> list[Row]:
                await tx.run(LOCK_DOCUMENT_OF_JOB, document=row["document"])
                return await tx.run(RELEASE_JOB, job=row["job"], grace=EXPIRED_AFTER_SECONDS)

            released += len(await self._database.write_together(release))
        return released

    async def _take(self, job: str, worker: str, lease_seconds: float) -> Lease | None:
        async def take(tx: Transaction) -> Row | None:
            row = await tx.one(LOCK_CANDIDATE, job=job)
            if row is None or not row["due"]:
                return None
            return await tx.one(TAKE_JOB, job=job, worker=worker, milliseconds=_milliseconds(lease_seconds))

        row = await self._database.write_together(take)
        if row is None:
            return None
        kind, org, subject = JobKind(row["kind"]), row["org"], row["subject"]
        return Lease(job, kind, org, subject, row["token"], row["attempt"], worker, row["retries"])

    async def _end(self, lease: Lease, state: str, reason: str | None) -> None:
        async def end(tx: Transaction) -> None:
            await fence_job(tx, lease)
            await tx.run(END_JOB, job=lease.job_id, state=state, reason=reason)

        await self._database.write_together(end)


async def add_job(
    tx: Transaction,
    kind: JobKind,
    *,
    org_id: str,
    subject_id: str,
    document_id: str | None,
    knowledge_id: str | None,
    size: int = 0,
) -> str:
    """A job that is due at once, in the transaction of what it works on; `size` is a file's, in bytes. Answers its
    id."""
    job_id, turn = new_id(), turn_of(kind, size)
    await tx.run(
        ADD_JOB,
        job=job_id,
        kind=kind,
        org=org_id,
        subject=subject_id,
        document=document_id,
        knowledge=knowledge_id,
        lane=turn.lane,
        milliseconds=_milliseconds(turn.seconds),
    )
    return job_id


async def cancel_jobs(tx: Transaction, document_id: str, reason: str, *kinds: JobKind) -> None:
    """Cancels and fences the unfinished jobs of a document, whose lock the caller holds."""
    await tx.run(CANCEL_JOBS_OF_DOCUMENT, document=document_id, reason=reason, kinds=list(kinds or JobKind))


def _like_the_first(jobs: Sequence[Row]) -> str:
    """One of those that are as urgent as the first, by chance: workers spread over them."""
    alike = [job["id"] for job in jobs if (job["kind"], job["lane"]) == (jobs[0]["kind"], jobs[0]["lane"])]
    return str(random.choice(alike))  # noqa: S311  # hides nothing


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
