"""100 searches at once, again and again, during the first minutes of ingesting a PDF of 2,000 pages, against the same
without. API, worker and embedder are the real ones; the PDF comes into the corpus that is searched."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

import httpx2

from benchmarks.client import Client, http_client
from benchmarks.filling import Corpus, Filler
from benchmarks.made_up import MadeUp
from benchmarks.outcome import Options, Outcome, Row, at_most, percentile
from benchmarks.pdf_file import LINES, pages_of, write_pdf
from benchmarks.running import API, WORKER, installation, new_corpus, running, services_in

AT_ONCE = 100
PAGES = 2000
BEFORE_ROUNDS = 12
EVERY = 10.0  # seconds from round to round
PASSAGES = 5_000  # there before


@dataclass(eq=False)
class Taken:
    """Seconds of the searches that were answered, and what went wrong with the others."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


async def measure(options: Options) -> Outcome:
    made_up = MadeUp(seed=21)
    async with installation() as place:
        async with services_in(place) as (services, scope):
            corpus = Corpus(scope, await new_corpus(services, scope, "library"))
            await Filler(services.database, made_up).fill(corpus, options.scaled(PASSAGES, 100))
        async with running(place, API, WORKER), http_client(AT_ONCE) as http:
            client = Client(place, http)
            texts = [made_up.question() for _ in range(AT_ONCE)]
            await _round(client, texts, Taken())
            before, during = Taken(), Taken()
            for _ in range(BEFORE_ROUNDS):
                await _round(client, texts, before)
            receipt = await client.upload("library", "large.pdf", _large_pdf(made_up, options.scaled(PAGES, 20)))
            rounds = await _rounds(client, texts, during, options.minutes * 60)
            document = await client.document(receipt["id"])
    return _outcome(before, during, rounds, document)


async def _round(client: Client, texts: list[str], taken: Taken) -> None:
    await asyncio.gather(*(_search(client, text, taken) for text in texts))


async def _search(client: Client, text: str, taken: Taken) -> None:
    began = time.perf_counter()
    try:
        await client.search("library", text)
    except httpx2.HTTPError as error:
        taken.errors.append(f"{type(error).__name__}: {error}"[:200])
    else:
        taken.seconds.append(time.perf_counter() - began)


async def _rounds(client: Client, texts: list[str], taken: Taken, seconds: float) -> int:
    """Rounds until the time is over; returns how many."""
    began, rounds = time.monotonic(), 0
    while time.monotonic() - began < seconds:
        next_at = time.monotonic() + EVERY
        await _round(client, texts, taken)
        rounds += 1
        await asyncio.sleep(max(0.0, next_at - time.monotonic()))
    return rounds


def _large_pdf(made_up: MadeUp, pages: int) -> bytes:
    paragraphs: list[str] = []
    made: list[list[str]] = []
    while len(made) < pages:
        paragraphs += [made_up.text(400) for _ in range(LINES * 10)]
        made = pages_of(paragraphs)
    return write_pdf(made[:pages])


def _outcome(before: Taken, during: Taken, rounds: int, document: dict[str, object]) -> Outcome:
    quiet, busy = percentile(before.seconds, 95), percentile(during.seconds, 95)
    print(f"  p95 {quiet * 1000:.0f} ms without, {busy * 1000:.0f} ms with", flush=True)
    errors = before.errors + during.errors
    state = f"{document['status']}, step {document.get('step')}, {document.get('chunksEmbedded')} chunks embedded"
    return Outcome(
        (
            at_most(f"p95 of {AT_ONCE} searches at once while the PDF comes in, to the same without", busy / quiet, 4),
            Row(f"errors in {len(during.seconds) + len(during.errors)} searches", str(len(errors)), "0", not errors),
        ),
        (
            f"{rounds} rounds of {AT_ONCE}, {EVERY:.0f} s from start to start, {BEFORE_ROUNDS} without an ingestion "
            f"before; at the end of them the document was {state}.",
            *(f"Error: {error}" for error in errors[:3]),
        ),
    )
