"""The same search of one organization, where others have 10,000 passages in the index and where they have 100,000: two
databases, asked in turn, after each has answered all questions twice: else only the larger one would be warm."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Sequence
from contextlib import ExitStack, closing

from benchmarks.outcome import Row, at_most
from benchmarks.questions import HttpSearch, Question
from benchmarks.running import Installation

ORGANIZATION, CORPUS = "neighbour", "mine"
TOP_K = 10
WARM_UPS = 2


async def measure(beside: Sequence[tuple[Installation, str]], questions: Sequence[Question]) -> list[Row]:
    """`beside`: the database with few and that with many passages of others, each with the neighbour's API key."""
    return [row for mode in ("DENSE", "HYBRID") for row in await asyncio.to_thread(_ask, beside, questions, mode)]


def _ask(beside: Sequence[tuple[Installation, str]], questions: Sequence[Question], mode: str) -> list[Row]:
    times: list[list[float]] = [[] for _ in beside]
    with ExitStack() as stack:
        doors = [stack.enter_context(closing(HttpSearch(place, CORPUS, ORGANIZATION, key))) for place, key in beside]
        for number, question in enumerate([*questions] * (WARM_UPS + 1)):
            for door, seconds in zip(doors, times, strict=True):
                took, _ = door.seconds(question, topK=TOP_K, mode=mode)
                if number >= WARM_UPS * len(questions):
                    seconds.append(took)
    few, many = (statistics.median(one) for one in times)
    what = f"{mode} over HTTP in a corpus of 1,000, p50: 100,000 chunks of others in the index to 10,000"
    return [at_most(what, many / few, 1.2)]
