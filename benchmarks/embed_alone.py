"""Embeds the texts of a JSON file and prints the processor seconds that it took, loading of the model left out:
`python -m benchmarks.embed_alone FILE FOLDER_OF_THE_MODEL`. A process of its own, as a worker is."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path

from matrix.ingest.processing import EMBEDDED_AT_ONCE
from matrix.plugins.embedders.minilm import MiniLmEmbedder


async def main(texts: list[str], cache: Path) -> float:
    embedder = MiniLmEmbedder(cache)
    await embedder.prepare()
    await embedder.embed_documents(texts[:2])
    began = time.process_time()
    for start in range(0, len(texts), EMBEDDED_AT_ONCE):
        await embedder.embed_documents(texts[start : start + EMBEDDED_AT_ONCE])
    return time.process_time() - began


if __name__ == "__main__":
    print(asyncio.run(main(json.loads(Path(sys.argv[1]).read_text("utf-8")), Path(sys.argv[2]))))
