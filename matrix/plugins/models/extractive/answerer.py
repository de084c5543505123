"""The local answerer: a LanguageModel without a model. It searches like one, and answers with the passages' own
sentences. How sentences are found and judged lives in the modules beside it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from matrix.domain.chat import ModelEvent, ModelRequest, TextDelta, ToolCall, Usage
from matrix.domain.sentences import sentence_spans
from matrix.plugins.models.extractive.cells import with_rows_meant
from matrix.plugins.models.extractive.composing import compose
from matrix.plugins.models.extractive.lines import LineKind
from matrix.plugins.models.extractive.passages import Candidate
from matrix.plugins.models.extractive.question import read_question
from matrix.plugins.models.extractive.ranking import Ranked, rank_candidates
from matrix.plugins.models.extractive.refusal import is_answered
from matrix.plugins.models.extractive.remembering import remembered_answer, wish_of
from matrix.plugins.models.extractive.rivals import without_rivals
from matrix.plugins.models.extractive.turns import OpenTurn, corpora_of, read_turn, search_calls, tools_of
from matrix.plugins.models.extractive.weights import LEXICAL, SIMILAR
from matrix.ports import Embedder

_WORDS_A_PIECE = 4


class ExtractiveAnswerer:
    """Answers from evidence alone. `embedder` must be the local MiniLM (the thresholds are fitted to its cosines);
    without one, words alone decide. Raises what the embedder raises."""

    name = "local-extractive"

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder
        self._weights = LEXICAL if embedder is None else SIMILAR

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Searches first where it can, then `ANSWERABLE: yes|no` and the answer with a marker behind each sentence."""
        turn = read_turn(request)
        calls = _calls(request, turn)
        if calls:
            for call in calls:
                yield call
        else:
            for piece in _pieces(await self._answer(turn)):
                yield TextDelta(piece)
        yield Usage()

    async def _answer(self, turn: OpenTurn) -> str:
        if turn.remembered is not None:
            return f"ANSWERABLE: yes\n{turn.remembered}"
        said = await self._choose(turn)
        if not said:
            memory = remembered_answer(turn)
            return f"ANSWERABLE: yes\n{memory}" if memory else "ANSWERABLE: no"
        return "ANSWERABLE: yes\n" + "".join(_cited(candidate) for candidate in said).rstrip()

    async def _choose(self, turn: OpenTurn) -> list[Candidate]:
        question = read_question(turn.question, turn.earlier)
        if not question.terms:
            return []
        ranked = [item for item in await rank_candidates(question, turn.evidence, self._embedder) if _says(item)]
        ranked = with_rows_meant(question, without_rivals(question, ranked))
        return compose(question, ranked) if is_answered(question, ranked, self._weights) else []


def _calls(request: ModelRequest, turn: OpenTurn) -> list[ToolCall]:
    """What to do before answering: keep what is to be remembered, or else search."""
    wish = wish_of(turn, tools_of(request))
    if wish is not None:
        return [wish]
    done = turn.searched or turn.remembered is not None
    return [] if done else search_calls(turn, corpora_of(request) or ())


def _says(item: Ranked) -> bool:
    """A sentence that only opens what follows says nothing by itself."""
    return item.candidate.kind is not LineKind.PROSE or not item.candidate.text.endswith(":")


def _cited(candidate: Candidate) -> str:
    """Each of its sentences with its marker, for each is checked and quoted by itself, those in the cell of a table
    too; what is none stands on a line of its own."""
    if candidate.kind is LineKind.CODE:
        return f"{candidate.text} [{candidate.marker}]\n"
    said = [candidate.text[start:end] for start, end in sentence_spans(candidate.text)]
    whole = candidate.kind in (LineKind.PROSE, LineKind.ITEM) and candidate.text.rstrip('"”’»)').endswith(
        (".", "!", "?", "…", "。", "！", "？")
    )
    return " ".join(f"{one.strip()} [{candidate.marker}]" for one in said) + (" " if whole else "\n")


def _pieces(text: str) -> Iterator[str]:
    """The first line by itself, then a few words at a time; joined they are `text`."""
    head, newline, body = text.partition("\n")
    yield head + newline
    words = body.split(" ")
    for start in range(0, len(words) if body else 0, _WORDS_A_PIECE):
        piece = " ".join(words[start : start + _WORDS_A_PIECE])
        yield piece if start + _WORDS_A_PIECE >= len(words) else piece + " "
