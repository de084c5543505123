"""Processor time of an ingestion, all processes together, against embedding the same passages alone.

API, worker (with its parser children) and Neo4j are counted from the upload until the document is COMPLETED and tidied;
their start is not, nor a first small ingestion by which they get warm. Embedding alone happens before and after, in a
process of its own, and its mean counts. Processor time, so that waiting for other programs does not count; what they
take of caches and memory hits both.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from benchmarks.client import Client, http_client
from benchmarks.made_up import MadeUp
from benchmarks.outcome import Options, Outcome, Row, at_most
from benchmarks.pdf_file import pages_of, write_pdf
from benchmarks.running import API, REPOSITORY, WORKER, Installation, environment, installation, running, services_in

PASSAGE = 1900  # characters of made-up text that give about one chunk of the default size
PARTS = ("API", "worker and parsers", "Neo4j")

PASSAGES = """
MATCH (:KnowledgeDocument:Entity {id: $document})-[:LIVE]->(:DocumentVersion)-[h:HAS_CHUNK]->(c:KnowledgeChunk)
RETURN c.context AS context, c.text AS text ORDER BY h.position
"""


async def measure(options: Options) -> Outcome:
    rows: list[Row] = []
    async with installation() as place, running(place, API, WORKER) as (api, worker):
        pids = dict(zip(PARTS, (api, worker, place.neo4j_pid), strict=True))
        async with http_client() as http:
            client = Client(place, http)
            await client.new_corpus("library")
            await _ingest(client, pids, "warm.txt", _text(1, 40))
            await _ingest(client, pids, "warm.pdf", _pdf(2, 40))
            rows += await _compare(place, client, pids, "text.txt", _text(3, options.chunks), goal=True)
            rows += await _compare(place, client, pids, "pages.pdf", _pdf(4, options.chunks), goal=False)
    return Outcome(tuple(rows))


def _paragraphs(seed: int, passages: int) -> list[str]:
    made_up, paragraphs, written = MadeUp(seed), [], 0
    while written < passages * PASSAGE:
        paragraphs.append(made_up.text(400))
        written += len(paragraphs[-1])
    return paragraphs


def _text(seed: int, passages: int) -> bytes:
    return "\n\n".join(_paragraphs(seed, passages)).encode()


def _pdf(seed: int, passages: int) -> bytes:
    return write_pdf(pages_of(_paragraphs(seed, passages)))


async def _ingest(client: Client, pids: Mapping[str, int], name: str, data: bytes) -> tuple[str, int, dict[str, float]]:
    """(document, chunks, processor seconds by part)"""
    before = {part: processor_seconds(pid) for part, pid in pids.items()}
    receipt = await client.upload("library", name, data)
    done = await client.ended(receipt["id"], poll=3.0)
    await asyncio.sleep(3)
    used = {part: processor_seconds(pid) - before[part] for part, pid in pids.items()}
    return receipt["id"], done["chunkCount"], used


async def _compare(
    place: Installation, client: Client, pids: Mapping[str, int], name: str, data: bytes, goal: bool
) -> list[Row]:
    document, chunks, used = await _ingest(client, pids, name, data)
    texts = await _passages(place, document)
    alone = [await embed_alone(place, texts) for _ in range(2)]
    mean, parts = sum(alone) / len(alone), ", ".join(f"{part} {value:.1f}" for part, value in used.items())
    print(f"  {name}: {chunks} chunks; {parts} s; embedding alone {alone} s", flush=True)
    row = at_most(f"{name}, {chunks:,} chunks: ingesting to embedding alone", sum(used.values()) / mean, 1.3)
    shares = ", ".join(f"{part} {value / mean:.2f}" for part, value in used.items())
    spread = Row(f"{name}: of which", shares)
    return [row if goal else Row(row.what, row.measured), spread]


async def _passages(place: Installation, document: str) -> Sequence[str]:
    async with services_in(place) as (services, _):
        rows = await services.database.read(PASSAGES, document=document)
    return [f"{row['context']}\n\n{row['text']}" if row["context"] else row["text"] for row in rows]


async def embed_alone(place: Installation, texts: Sequence[str]) -> float:
    path = place.settings.data_dir / "texts.json"
    await asyncio.to_thread(path.write_text, json.dumps(list(texts)), "utf-8")
    command = [sys.executable, "-m", "benchmarks.embed_alone", str(path), str(place.settings.data_dir / "models")]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, env=environment(place), cwd=Path(REPOSITORY)
    )
    printed, _ = await process.communicate()
    return float(printed)


def processor_seconds(pid: int) -> float:
    """Of a process and its children, those that ended included."""
    process = psutil.Process(pid)
    own = process.cpu_times()
    total: float = own.user + own.system + own.children_user + own.children_system
    for child in process.children(recursive=True):
        times = child.cpu_times()
        total += times.user + times.system
    return total
