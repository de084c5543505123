"""Background work, as values. A lease is held for a while by one worker; its fencing token makes late commits fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class JobKind(StrEnum):
    """INGEST turns a version into passages; TIDY drops what no version of a document holds and brings the copies in
    the indexes up to date; PURGE takes away what was deleted."""

    INGEST = "INGEST"
    TIDY = "TIDY"
    PURGE = "PURGE"


class JobState(StrEnum):
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    DONE = "DONE"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


@dataclass(frozen=True, slots=True)
class Lease:
    """A claimed job. `token` grows with each claim; every write of the job checks it in its own transaction.

    `subject_id` is the version to ingest, the document to tidy, or the receipt of the deletion to purge. `attempt`
    counts the claims, `retries` how often in a row the work was put off.
    """

    job_id: str
    kind: JobKind
    org_id: str
    subject_id: str
    token: int
    attempt: int
    worker: str
    retries: int = 0
