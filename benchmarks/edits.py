"""Embeddings that an edit costs: by the chunker on documents of 1,000 chunks of many shapes (see `chunk_edits`), and
through a running Matrix on a small one."""

from __future__ import annotations

import statistics

from benchmarks.chunk_edits import SETTINGS, SHAPES, embeddings_per_edit
from benchmarks.client import Client, http_client
from benchmarks.made_up import MadeUp
from benchmarks.outcome import Options, Outcome, Row
from benchmarks.running import API, WORKER, installation, running

MOST = 3.0
PARAGRAPHS = 60


async def measure(options: Options) -> Outcome:
    rows = []
    for shape in SHAPES:
        again, *costs = embeddings_per_edit(shape, characters=options.scaled(1_500_000))
        mean = statistics.mean(costs)
        what, shown = (
            f"embeddings an edit, mean of {len(costs)} places: {shape.name}",
            f"{mean:.2f} (at most {max(costs)})",
        )
        # To rewrite a paragraph that is many chunks long is to make many chunks: no goal can be put to that.
        judged = shape.longest <= 2 * SETTINGS.size
        rows.append(Row(what, shown, "<= 3", mean <= MOST) if judged else Row(what, shown))
        rows.append(Row(f"the same bytes again: {shape.name}", str(again), "0", again == 0))
    return Outcome((*rows, *await _through_matrix()))


async def _through_matrix() -> list[Row]:
    made_up = MadeUp(seed=5)
    paragraphs = [made_up.text(400) for _ in range(PARAGRAPHS)]
    async with installation() as place, running(place, API, WORKER), http_client() as http:
        client = Client(place, http)
        await client.new_corpus("library")
        receipt = await client.upload("library", "edited.txt", "\n\n".join(paragraphs).encode())
        document = receipt["id"]
        first = await client.ended(document)
        again = await client.upload("library", "edited.txt", "\n\n".join(paragraphs).encode())
        unchanged = await client.document(document)
        await client.reprocess(document)
        reprocessed = await client.ended(document, version=2)
        paragraphs[PARAGRAPHS // 2] = made_up.text(400)
        await client.upload("library", "edited.txt", "\n\n".join(paragraphs).encode())
        edited = await client.ended(document, version=3)
    chunks = first["chunkCount"]
    made = reprocessed["chunksEmbedded"]
    nothing = again["id"] == document and unchanged["version"] == 1 and again.get("jobId") is None
    cost = edited["chunksEmbedded"]
    return [
        Row("uploaded again, the same bytes: jobs made", "0" if nothing else "1", "0", nothing),
        Row(f"processed again, {chunks} chunks: embeddings", str(made), "0", made == 0),
        Row(f"one paragraph rewritten, {chunks} chunks: embeddings", str(cost), "<= 3", cost <= MOST),
    ]
