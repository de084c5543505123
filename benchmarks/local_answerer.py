"""How good the local answerer is, on public questions: `python -m benchmarks.local_answerer [--words-only] [--fit]`.

XQuAD: 240 paragraphs are the corpus. Retrieval happens here, in memory (BM25 and MiniLM, fused by rank, best 8); then
the answerer is driven through `stream` as the agent loop would. Reported: how often the answer contains the gold
answer, how long answers are, and how often it refuses
  - XQuAD questions (false refusals),
  - 100 Hotpot questions put to this corpus (should be refused: another subject),
  - XQuAD questions whose paragraph was taken away (should be refused: same subject, the fact missing).
Odd articles tune, even articles report; `--fit` prints weights fitted on the tuning half.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import math
import re
import string
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from matrix.domain.chat import ChatMessage, Evidence, ModelRequest, Speaker, TextDelta, ToolResult
from matrix.domain.retrieval import Hit, Scores, SourceRef
from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from matrix.plugins.models.extractive.question import read_question
from matrix.plugins.models.extractive.ranking import rank_candidates
from matrix.ports import Embedder

DATA = Path(__file__).resolve().parents[2] / "shared" / "benchmarks" / "retrieval"
CACHE = Path(tempfile.gettempdir()) / "matrix-local-answerer"  # vectors and the fast model; safe to lose
TOP = 8


@dataclass(frozen=True)
class Asked:
    """A question with its gold answers; `paragraph` is -1 where the corpus does not hold the answer."""

    text: str
    answers: tuple[str, ...]
    paragraph: int
    article: int


@dataclass(frozen=True)
class Outcome:
    asked: Asked
    answered: bool
    right: bool
    text: str
    sentences: int
    seconds: float


def read_xquad(language: str) -> tuple[list[str], list[Asked]]:
    paragraphs: list[str] = []
    asked: list[Asked] = []
    articles = json.loads((DATA / "xquad" / f"xquad.{language}.json").read_text("utf-8"))["data"]
    for number, article in enumerate(articles):
        for paragraph in article["paragraphs"]:
            for qa in paragraph["qas"]:
                answers = tuple(answer["text"] for answer in qa["answers"])
                asked.append(Asked(qa["question"], answers, len(paragraphs), number))
            paragraphs.append(paragraph["context"])
    return paragraphs, asked


def read_hotpot() -> list[Asked]:
    lines = (DATA / "hotpot100" / "queries.jsonl").read_text("utf-8").splitlines()
    return [Asked(json.loads(line)["text"], (), -1, number) for number, line in enumerate(lines)]


class CachedEmbedder:
    """An embedder whose vectors are kept in a file: the same sentences come up in every run."""

    def __init__(self, inner: Embedder) -> None:
        self.name, self.dimensions, self.languages = inner.name, inner.dimensions, inner.languages
        self._inner = inner
        self._file = CACHE / f"{re.sub(r'[^a-zA-Z0-9]+', '-', inner.name)}.npz"
        self._vectors: dict[str, list[float]] = {}
        if self._file.exists():
            stored = np.load(self._file)
            self._vectors = dict(zip(stored["keys"].tolist(), stored["vectors"].tolist(), strict=True))

    async def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        keys = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        if missing:
            made = await self._inner.embed_documents(list(missing.values()))
            self._vectors.update(zip(missing, made, strict=True))
        return [self._vectors[key] for key in keys]

    async def embed_query(self, text: str) -> list[float]:
        return (await self.embed_documents([text]))[0]

    def save(self) -> None:
        CACHE.mkdir(exist_ok=True)
        np.savez(self._file, keys=np.array(list(self._vectors)), vectors=np.array(list(self._vectors.values())))


class Retrieval:
    """BM25 and, with an embedder, cosine; fused by rank (k = 60)."""

    def __init__(self, paragraphs: list[str], embedder: Embedder | None) -> None:
        self._paragraphs, self._embedder = paragraphs, embedder
        self._bags = [Counter(_words(text)) for text in paragraphs]
        lengths = np.array([sum(bag.values()) for bag in self._bags])
        self._norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
        self._frequency = Counter(word for bag in self._bags for word in bag)
        self._vectors: np.ndarray | None = None

    async def search(self, query: str, without: int = -1) -> list[Evidence]:
        keyword = self._bm25(query)
        legs = [keyword]
        dense = np.full(len(self._paragraphs), np.nan)
        if self._embedder is not None:
            if self._vectors is None:
                self._vectors = np.array(await self._embedder.embed_documents(self._paragraphs))
            dense = self._vectors @ np.array(await self._embedder.embed_query(query))
            legs.append(dense)
        fused = np.zeros(len(self._paragraphs))
        for leg in legs:
            for rank, place in enumerate(np.argsort(-leg, kind="stable")[:100]):
                fused[place] += 1 / (61 + rank)
        order = [place for place in np.argsort(-fused, kind="stable") if place != without][:TOP]
        return [
            Evidence(number, _hit(int(place), self._paragraphs[place], float(fused[place]), float(dense[place])))
            for number, place in enumerate(order, start=1)
        ]

    def _bm25(self, query: str) -> np.ndarray:
        scores = np.zeros(len(self._bags))
        for word in set(_words(query)):
            known = self._frequency[word]
            rarity = math.log(1 + (len(self._bags) - known + 0.5) / (known + 0.5))
            counts = np.array([bag[word] for bag in self._bags])
            scores += rarity * counts * 2.2 / (counts + self._norm)
        return scores


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _hit(place: int, text: str, score: float, dense: float) -> Hit:
    source = SourceRef(None, None, (), 0, len(text))
    scores = Scores(dense=None if math.isnan(dense) else dense)
    return Hit(str(place), str(place), "v", "k", f"paragraph-{place}", text, "", 0, 1, score, scores, source)


def _normal(text: str) -> str:
    kept = "".join(character for character in text.lower() if character not in string.punctuation)
    return " ".join(word for word in kept.split() if word not in ("a", "an", "the"))


async def ask(answerer: ExtractiveAnswerer, asked: Asked, evidence: list[Evidence]) -> Outcome:
    result = ToolResult("search-1", "search_knowledge", "", tuple(evidence))
    messages = (ChatMessage(Speaker.USER, asked.text), ChatMessage(Speaker.TOOL, tool_result=result))
    begun = time.process_time()
    events = [event async for event in answerer.stream(ModelRequest(messages))]
    seconds = time.process_time() - begun
    said = "".join(event.text for event in events if isinstance(event, TextDelta))
    first, _, body = said.partition("\n")
    plain = re.sub(r" \[\d+\]", "", body)
    right = any(_normal(gold) in _normal(plain) for gold in asked.answers)
    return Outcome(asked, first == "ANSWERABLE: yes", right, plain, len(re.findall(r" \[\d+\]", body)), seconds)


async def ask_all(
    answerer: ExtractiveAnswerer, retrieval: Retrieval, questions: list[Asked], *, without_paragraph: bool = False
) -> list[Outcome]:
    outcomes = []
    for asked in questions:
        evidence = await retrieval.search(asked.text, asked.paragraph if without_paragraph else -1)
        outcomes.append(await ask(answerer, asked, evidence))
    return outcomes


def report(name: str, xquad: list[Outcome], hotpot: list[Outcome], bereft: list[Outcome], found: float) -> None:
    answered = [outcome for outcome in xquad if outcome.answered]
    lengths = [len(outcome.text) for outcome in answered]
    times = sorted(outcome.seconds * 1000 for outcome in xquad)
    print(
        f"{name:22} n={len(xquad)} gold paragraph in best {TOP} {found:.3f} | contains gold"
        f" {np.mean([o.right for o in xquad]):.3f}"
        f" (of answered {np.mean([o.right for o in answered]):.3f}) false refusals"
        f" {1 - len(answered) / len(xquad):.3f} | answer sentences {np.mean([o.sentences for o in answered]):.2f}"
        f" characters mean {np.mean(lengths):.0f} p95 {np.percentile(lengths, 95):.0f} max {max(lengths)} | refused:"
        f" hotpot {np.mean([not o.answered for o in hotpot]):.3f}, paragraph taken away"
        f" {np.mean([not o.answered for o in bereft]):.3f} | CPU ms p50 {times[len(times) // 2]:.1f}"
        f" p95 {times[int(len(times) * 0.95)]:.1f}"
    )


async def measure(language: str, embedder: Embedder | None, answerer: ExtractiveAnswerer, show: int) -> None:
    paragraphs, questions = read_xquad(language)
    retrieval = Retrieval(paragraphs, embedder)
    hotpot = read_hotpot()
    for name, rest in (("tuning (odd)", 1), ("report (even)", 0)):
        half = [asked for asked in questions if asked.article % 2 == rest]
        other = [asked for asked in hotpot if asked.article % 2 == rest]
        found = [str(asked.paragraph) in {e.hit.chunk_id for e in await retrieval.search(asked.text)} for asked in half]
        xquad = await ask_all(answerer, retrieval, half)
        foreign = await ask_all(answerer, retrieval, other)
        bereft = await ask_all(answerer, retrieval, half, without_paragraph=True)
        report(f"{language} {name}", xquad, foreign, bereft, float(np.mean(found)))
        if rest == 1:
            show_wrong(xquad, foreign, show)


def show_wrong(xquad: list[Outcome], foreign: list[Outcome], show: int) -> None:
    for outcome in [o for o in xquad if not o.right][:show]:
        print(f"  Q {outcome.asked.text}\n    gold {outcome.asked.answers}\n    said {outcome.text or '(refused)'}")
    for outcome in [o for o in foreign if o.answered][:show]:
        print(f"  NOT REFUSED {outcome.asked.text}\n    said {outcome.text}")


# ---------------------------------------------------------------------------------------------------- fitting


async def fit(embedder: Embedder | None) -> None:
    """Logistic regression on the tuning half: which candidate holds the answer, and whether the best one does."""
    paragraphs, questions = read_xquad("en")
    retrieval = Retrieval(paragraphs, embedder)
    tuning = [asked for asked in questions if asked.article % 2 == 1]
    rows, labels, groups = [], [], []
    searches = [(asked, await retrieval.search(asked.text)) for asked in tuning]
    for asked, evidence in searches:
        for item in await rank_candidates(read_question(asked.text), evidence, embedder):
            rows.append(item.weighed.features.values())
            labels.append(_holds(item.candidate.text, evidence[item.candidate.rank], asked))
            groups.append(1.0)
    best = _logistic_fit(np.array(rows), np.array(labels), np.array(groups))
    print("best=", [round(float(value), 2) for value in best])
    rows, labels, groups = [], [], []
    foreign = [asked for asked in read_hotpot() if asked.article % 2 == 1]
    searches += [(asked, await retrieval.search(asked.text, asked.paragraph)) for asked in tuning]
    searches += [(asked, await retrieval.search(asked.text)) for asked in foreign]
    for asked, evidence in searches:
        ranked = await rank_candidates(read_question(asked.text), evidence, embedder)
        top = max(ranked, key=lambda item: float(np.dot([*item.weighed.features.values(), 1.0], best)))
        rows.append(top.weighed.features.values())
        held = any(_holds(item.candidate.text, evidence[item.candidate.rank], asked) for item in ranked)
        right = held and _holds(top.candidate.text, evidence[top.candidate.rank], asked)
        labels.append(right)
        groups.append(5.0 if asked.paragraph < 0 else (0.5 if held and not right else 1.0))
    contained = _logistic_fit(np.array(rows), np.array(labels), np.array(groups))
    print("contained=", [round(float(value), 2) for value in contained])


def _holds(text: str, evidence: Evidence, asked: Asked) -> bool:
    return evidence.hit.chunk_id == str(asked.paragraph) and any(_normal(g) in _normal(text) for g in asked.answers)


def _logistic_fit(rows: np.ndarray, labels: np.ndarray, weight: np.ndarray, decay: float = 2.0) -> np.ndarray:
    """Newton's method with an L2 penalty; the bias, last, is free."""
    x = np.hstack([rows, np.ones((len(rows), 1))])
    y = labels.astype(float)
    penalty = np.full(x.shape[1], decay)
    penalty[-1] = 1e-6
    w = np.zeros(x.shape[1])
    for _ in range(30):
        p = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (weight * (p - y)) + penalty * w
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        w -= np.linalg.solve(hessian, gradient)
    return w


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words-only", action="store_true", help="answer without sentence similarity")
    parser.add_argument("--keyword-only", action="store_true", help="retrieve by BM25 alone, no embedder at all")
    parser.add_argument("--language", default="en", choices=("en", "de"))
    parser.add_argument("--fit", action="store_true", help="print weights fitted on the tuning half")
    parser.add_argument("--show", type=int, default=0, help="print that many wrong answers of the tuning half")
    options = parser.parse_args()
    if not DATA.is_dir():
        raise SystemExit("The benchmark data is absent: put it at ../shared/benchmarks, beside the repository.")
    asyncio.run(_run(options))


async def _run(options: argparse.Namespace) -> None:
    embedder = None if options.keyword_only else CachedEmbedder(MiniLmEmbedder(CACHE))
    if options.fit:
        await fit(None if options.words_only else embedder)
    else:
        answerer = ExtractiveAnswerer(None if options.words_only else embedder)
        await measure(options.language, embedder, answerer, options.show)
    if embedder is not None:
        embedder.save()


if __name__ == "__main__":
    main()
