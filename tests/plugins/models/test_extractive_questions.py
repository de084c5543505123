"""The local answerer on ordinary documents (a handbook, a manual, a price table, a project), beside this file.

Words alone decide here; with sentence similarity it is asked the few questions that words alone get wrong.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from matrix.domain.chat import Evidence
from matrix.plugins.embedders.minilm import MiniLmEmbedder
from matrix.plugins.models.extractive.answerer import ExtractiveAnswerer
from tests.plugins.models.extractive_requests import NOTHING, passage, say

FOLDER = Path(__file__).parent / "extractive_questions"
SIZE = 1500
QUESTIONS = yaml.safe_load((FOLDER / "questions.yaml").read_text("utf-8"))


def _passages() -> list[tuple[str, str]]:
    """Title and text of each passage: neighbouring sections of a document together, up to SIZE characters."""
    made: list[tuple[str, str]] = []
    for file in sorted(FOLDER.glob("*.md")):
        sections = re.split(r"(?m)^(?=#)", file.read_text("utf-8"))[1:]
        title = sections[0].splitlines()[0].strip("# ")
        text = ""
        for section in sections:
            if text and len(text) + len(section) > SIZE:
                made.append((title, text))
                text = ""
            text += section
        made.append((title, text))
    return made


def _evidence(question: str) -> list[Evidence]:
    """All passages, those that share most words with the question first."""
    words = set(re.findall(r"\w{4,}", question.lower()))
    ordered = sorted(_passages(), key=lambda p: -len(words & set(re.findall(r"\w{4,}", " ".join(p).lower()))))
    return [passage(number, text, titles=(title,)) for number, (title, text) in enumerate(ordered, start=1)]


def _is_right(asked: dict[str, object], reply: str) -> bool:
    if asked.get("refused"):
        return reply == NOTHING
    says = asked.get("says") or asked["refused_or"]
    assert isinstance(says, list)
    return all(text in reply for text in says) or ("refused_or" in asked and reply == NOTHING)


@pytest.mark.feature("A10", "F1", "F4")
@pytest.mark.parametrize("asked", [q for q in QUESTIONS if "missed" not in q], ids=lambda q: q["question"])
async def test_words_alone_answer_or_refuse(asked: dict[str, object]) -> None:
    question = str(asked["question"])
    reply = await say(ExtractiveAnswerer(), question, _evidence(question))
    assert _is_right(asked, reply), reply


@pytest.fixture(scope="module")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> MiniLmEmbedder:
    return MiniLmEmbedder(tmp_path_factory.mktemp("minilm"))


@pytest.mark.parametrize("asked", [q for q in QUESTIONS if q.get("missed") == "words"], ids=lambda q: q["question"])
async def test_similarity_gets_right_what_words_get_wrong(asked: dict[str, object], minilm: MiniLmEmbedder) -> None:
    question = str(asked["question"])
    reply = await say(ExtractiveAnswerer(minilm), question, _evidence(question))
    assert _is_right(asked, reply), reply


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q["question"])
async def test_answers_are_short_and_each_part_carries_its_marker(asked: dict[str, object]) -> None:
    question = str(asked["question"])
    reply = await say(ExtractiveAnswerer(), question, _evidence(question))
    body = reply.partition("\n")[2]
    assert len(body) <= 500
    assert bool(body) == bool(re.search(r" \[\d+\]$", body))
    assert len(re.findall(r" \[\d+\]", body)) <= 6  # one a sentence, also within an item
