"""Identifiers: time-ordered ids for entities, content-derived ids for chunks. All are 32 lower-case hex characters,
so that they can stand as one token in the full-text index."""

from __future__ import annotations

import hashlib
import os
import time


def new_id() -> str:
    """A UUID version 7 in hex: sorts by creation time, so that a list ordered by id is a list ordered by age."""
    millis = time.time_ns() // 1_000_000
    rand = int.from_bytes(os.urandom(10), "big")
    value = (millis & (2**48 - 1)) << 80 | rand
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return f"{value:032x}"


def chunk_id(document_id: str, embedded_text: str, occurrence: int) -> str:
    """The id of a chunk: the same document, the same embedded text and the same occurrence give the same chunk.

    `occurrence` counts equal texts within one document, from 0.
    """
    digest = hashlib.sha256()
    for part in (document_id, embedded_text, str(occurrence)):
        digest.update(part.encode())
        digest.update(b"\x00")
    return digest.hexdigest()[:32]
