"""The API process of `matrix serve`, with one difference: the vectors of questions are prepared, so that searching is
timed without embedding. `python -m benchmarks.prepared_api`, with MATRIX_BENCH_QUESTIONS naming an .npz of `texts` and
`vectors`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import uvicorn
from uvicorn.loops.auto import auto_loop_factory

from matrix.api.application import create_application
from matrix.cli.process_settings import process_settings
from matrix.graph.search.keyword_index import Keywords
from matrix.graph.search.vector_store import KnowledgeVectors
from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.retrieval.search import KnowledgeSearch
from matrix.wiring.services import Services, open_services

QUESTIONS = "MATRIX_BENCH_QUESTIONS"


class PreparedEmbedder:
    """Knows the vectors of its questions by heart."""

    name = MiniLmEmbedder.name
    dimensions = MiniLmEmbedder.dimensions
    languages = MiniLmEmbedder.languages

    def __init__(self, vectors: dict[str, list[float]]) -> None:
        self._vectors = vectors

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vectors[text] for text in texts]

    async def embed_query(self, text: str) -> list[float]:
        return self._vectors[text]


def prepared(services: Services, path: str) -> Services:
    with np.load(path) as stored:
        vectors = dict(zip(stored["texts"].tolist(), stored["vectors"].tolist(), strict=True))
    database = services.database
    search = KnowledgeSearch(PreparedEmbedder(vectors), KnowledgeVectors(database), Keywords(database))
    return replace(services, search=search)


async def _serve() -> None:
    settings = process_settings(None)
    async with open_services(settings) as services:
        app = create_application(prepared(services, os.environ[QUESTIONS]))
        config = uvicorn.Config(app, host=settings.host, port=settings.port, log_config=None, proxy_headers=False)
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=auto_loop_factory()) as runner:
        runner.run(_serve())
