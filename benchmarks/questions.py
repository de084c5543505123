"""Questions with prepared vectors, and the ways to ask them: over HTTP as a client does, or the index alone."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from neo4j import READ_ACCESS, GraphDatabase

from benchmarks.made_up import MadeUp
from benchmarks.running import Installation

# The index alone, with the filters of KnowledgeVectors: no check by the graph, nothing read of the passages.
BARE_SEARCH = """CYPHER 25
MATCH (c:Entity)
SEARCH c IN (VECTOR INDEX entity_node_embedding FOR $vector
  WHERE c.entityType = 'KnowledgeChunk' AND c.orgId = $org AND c.scopeId IN $corpora AND c.audienceId IN $audiences
  LIMIT $limit) SCORE AS score
RETURN elementId(c) AS id, score
"""


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    vector: list[float]


def make_questions(made_up: MadeUp, count: int) -> list[Question]:
    vectors = made_up.vectors(count)
    texts = [f"{made_up.question()} {number}" for number in range(count)]
    return [Question(text, vector.tolist()) for text, vector in zip(texts, vectors, strict=True)]


def save_questions(questions: Sequence[Question], path: Path) -> None:
    np.savez(path, texts=np.array([q.text for q in questions]), vectors=np.array([q.vector for q in questions]))


class HttpSearch:
    """One kept-open connection to the API, and the seconds that an answer took, body read."""

    def __init__(self, place: Installation, knowledge: str, org: str = "default", key: str | None = None) -> None:
        self._connection = HTTPConnection("127.0.0.1", place.settings.port, timeout=60)
        self._path = f"/api/orgs/{org}/knowledge/{knowledge}/search"
        bearer = key or place.secrets.api_key
        self._headers = {"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"}

    def seconds(self, question: Question, **body: object) -> tuple[float, int]:
        """(seconds, hits)"""
        began = time.perf_counter()
        content = self._ask(question, body)
        return time.perf_counter() - began, len(json.loads(content)["hits"])

    def hits(self, question: Question, **body: object) -> list[dict[str, object]]:
        hits: list[dict[str, object]] = json.loads(self._ask(question, body))["hits"]
        return hits

    def _ask(self, question: Question, body: dict[str, object]) -> bytes:
        self._connection.request("POST", self._path, json.dumps({"query": question.text, **body}), self._headers)
        answer = self._connection.getresponse()
        content = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{answer.status}: {content[:300]!r}")
        return content

    def close(self) -> None:
        self._connection.close()


class BareSearch:
    """One open Bolt session."""

    def __init__(self, place: Installation, **asked: object) -> None:
        neo4j = place.settings.neo4j
        self._driver = GraphDatabase.driver(
            neo4j.uri or "", auth=(neo4j.username, neo4j.password.get_secret_value()), notifications_min_severity="OFF"
        )
        self._session = self._driver.session(database=neo4j.database, default_access_mode=READ_ACCESS)
        self._asked = asked

    def seconds(self, question: Question, limit: int) -> tuple[float, int]:
        """(seconds, hits)"""
        began = time.perf_counter()
        parameters = {"vector": question.vector, "limit": limit, **self._asked}
        rows = [row.data() for row in self._session.run(BARE_SEARCH, parameters)]
        return time.perf_counter() - began, len(rows)

    def round_trip(self) -> float:
        began = time.perf_counter()
        self._session.run("RETURN 1 AS one").consume()
        return time.perf_counter() - began

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with closing(self._driver):
            self._session.close()
