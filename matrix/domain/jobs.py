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


class JobLane(StrEnum):
    """QUICK jobs are small files and all upkeep; a worker keeps one slot for them alone. LONG jobs are the rest."""

    QUICK = "QUICK"
    LONG = "LONG"


QUICK_BYTES = 256 * 1024
"""Of a file: as much text is some hundred passages, less than a minute of embedding."""
BYTES_A_SECOND = 10 * 1024
UPKEEP_SECONDS = -86_400.0
"""Deletions and tidying go before all files that came within the day before."""


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is among the jobs of one organization: the earlier the time at which a job was ordered plus
    `seconds`, the sooner. So the small overtakes the large, and the large is overtaken only for a while."""

    lane: JobLane
    seconds: float


def turn_of(kind: JobKind, size: int = 0) -> Turn:
    """Every 10 KiB of a file of `size` bytes count as a second later: 50 MiB let pass what is small for 85 minutes."""
    if kind is not JobKind.INGEST:
        return Turn(JobLane.QUICK, UPKEEP_SECONDS)
    return Turn(JobLane.QUICK if size <= QUICK_BYTES else JobLane.LONG, size / BYTES_A_SECOND)


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
