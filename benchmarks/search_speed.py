"""Search over HTTP against the bare index. Both are asked by one client in turn, question by question, so that what
else the machine does hits both alike."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.filling import Corpus
from benchmarks.outcome import Row, at_most
from benchmarks.questions import BareSearch, HttpSearch, Question
from benchmarks.running import Installation
from matrix.plugins.embedders.minilm import MiniLmEmbedder

TOP_K = 10
WIDE = 30  # what the product asks the index for
WARM_UP = 60
ASKED_OF = ("main", "rest", "thousand", "ten")


async def measure(place: Installation, corpora: Mapping[str, Corpus], questions: Sequence[Question]) -> list[Row]:
    rows = []
    for key in ASKED_OF:
        times = await asyncio.to_thread(ask, place, key, corpora[key], questions)
        rows += rows_of(key, len(corpora[key].vectors), times)
    seconds = await embedding_seconds(place.settings.data_dir, questions)
    return [*rows, Row("embedding one question alone, apart from all above, p50", f"{seconds * 1000:.1f} ms")]


def ask(place: Installation, key: str, corpus: Corpus, questions: Sequence[Question]) -> dict[str, list[float]]:
    """Seconds by way of asking."""
    times: dict[str, list[float]] = defaultdict(list)
    asked = {"org": corpus.scope.org_id, "corpora": [corpus.id], "audiences": list(corpus.scope.audiences)}
    with closing(HttpSearch(place, key)) as http, BareSearch(place, **asked) as bare:
        for number, question in enumerate(questions):
            now = {
                "bare": bare.seconds(question, TOP_K)[0],
                "DENSE": http.seconds(question, topK=TOP_K, mode="DENSE")[0],
                "bare wide": bare.seconds(question, WIDE)[0],
                "HYBRID": http.seconds(question, topK=TOP_K, mode="HYBRID")[0],
                "round trip": bare.round_trip(),
            }
            if number >= WARM_UP:
                for way, seconds in now.items():
                    times[way].append(seconds)
    return times


def rows_of(key: str, size: int, times: Mapping[str, Sequence[float]]) -> list[Row]:
    """The largest corpus has a goal, the others are reported."""
    p50 = {way: statistics.median(values) * 1000 for way, values in times.items()}
    print(f"  {key}: " + ", ".join(f"{way} {value:.1f} ms" for way, value in p50.items()), flush=True)
    where = f"HTTP to bare SEARCH, p50, corpus of {size:,}: "
    same = at_most(where + f"DENSE, both proposing {WIDE}", p50["DENSE"] / p50["bare wide"], 1.5)
    least = at_most(where + f"DENSE, the bare one LIMIT {TOP_K}", p50["DENSE"] / p50["bare"], 1.5)
    hybrid = Row(where + f"HYBRID, the bare one LIMIT {TOP_K}", f"{p50['HYBRID'] / p50['bare']:.2f}x")
    return [same, least, hybrid] if key == "main" else [Row(row.what, row.measured) for row in (same, least, hybrid)]


async def embedding_seconds(data_dir: Path, questions: Sequence[Question]) -> float:
    embedder, seconds = MiniLmEmbedder(data_dir / "models"), []
    await embedder.prepare()
    for question in questions[:100]:
        began = time.perf_counter()
        await embedder.embed_query(question.text)
        seconds.append(time.perf_counter() - began)
    await embedder.aclose()
    return statistics.median(seconds)
