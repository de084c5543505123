"""Background work, as values. A lease is held for a while by one worker; its fencing token makes late commits fail."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class JobKind(StrEnum):
    INGEST = "INGEST"
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

    `subject_id` is the version to ingest, or the tombstoned document or knowledge to purge.
    """

    job_id: str
    kind: JobKind
    org_id: str
    subject_id: str
    token: int
    attempt: int
    worker: str
