"""Which rows of a table a question means, and whether it means any: "the crab soup" is neither the fish soup nor the
crab cakes. Lines of the form `name: value` are rows of one cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from matrix.plugins.models.extractive.function_words import ANSWER_NOUNS, FUNCTION_WORDS, LIGHT_WORDS
from matrix.plugins.models.extractive.lines import LineKind
from matrix.plugins.models.extractive.matching import TermMatcher
from matrix.plugins.models.extractive.passages import Candidate
from matrix.plugins.models.extractive.question import Question, TermKind
from matrix.plugins.models.extractive.ranking import Ranked
from matrix.plugins.models.extractive.words import tokenize

Places = frozenset[int]  # of terms in the question


def with_rows_meant(question: Question, ranked: Sequence[Ranked]) -> list[Ranked]:
    """Without the rows whose values hold less of the question than another row's of their table; none at all where the
    best one is a row of something else."""
    matcher = TermMatcher(question)
    held = {row.candidate.text: _held(matcher, row.candidate) for row in ranked if row.candidate.cells}
    left = [item for item in ranked if not any(_means_more(item, other, held) for other in ranked)]
    if left and left[0].candidate.cells and _is_of_another(question, matcher, left[0].candidate, left, held):
        return []
    return left


def _held(matcher: TermMatcher, candidate: Candidate) -> Places:
    """The terms in the values of a row, whatever its columns are called."""
    return frozenset(matcher.match("; ".join(value for _, value in candidate.cells)).found)


def _means_more(item: Ranked, other: Ranked, held: dict[str, Places]) -> bool:
    one, two = item.candidate, other.candidate
    return _of_one_table(one, two) and held[one.text] < held[two.text]


def _of_one_table(one: Candidate, other: Candidate) -> bool:
    return (
        one.kind is other.kind is LineKind.ROW
        and one.heading == other.heading
        and [name for name, _ in one.cells] == [name for name, _ in other.cells]
    )


def _is_of_another(
    question: Question, matcher: TermMatcher, row: Candidate, ranked: Sequence[Ranked], held: dict[str, Places]
) -> bool:
    """Whether the row has one word of two that belong together, and another in place of its neighbour; or the
    neighbour stands in another row."""
    here = {place for text in (row.text, row.heading) for place in matcher.match(text).found}
    for before, head in _pairs(question):
        if before in here:
            torn = head not in here and any(
                head in held[other.candidate.text] and before not in held[other.candidate.text]
                for other in ranked
                if _of_one_table(row, other.candidate)
            )
            if torn:
                return True
        elif head in here and any(_names_another(question, matcher, cell, head) for cell in _cell_texts(row)):
            return True
    return False


def _pairs(question: Question) -> Iterator[tuple[int, int]]:
    """Places of words that stand side by side in the question, such as "crab soup"."""
    place_of = {term.stem: place for place, term in enumerate(question.terms) if term.weight >= 1}
    last: tuple[int, int] | None = None  # the place of the word before, and where it ends
    for token in tokenize(question.text):
        place = place_of.get(question.stem(token.forms[0]))
        if place is None or question.terms[place].kind not in (TermKind.WORD, TermKind.NAME):
            last = None
            continue
        if last is not None and question.text[last[1] : token.start] == " ":
            yield last[0], place
        last = place, token.start + len(token.surface)


def _cell_texts(row: Candidate) -> list[str]:
    return [text for cell in row.cells for text in cell if text]


def _names_another(question: Question, matcher: TermMatcher, cell: str, head: int) -> bool:
    """Whether the cell is a short name around the head with a word that the question does not have."""
    if matcher.match(cell).found.get(head, 0.0) < 1.0:
        return False
    words = [token.surface.lower() for token in tokenize(cell)]
    unimportant = FUNCTION_WORDS[question.language] | LIGHT_WORDS | ANSWER_NOUNS
    return len(words) <= 4 and any(
        word not in unimportant and not word[0].isdigit() and not matcher.match(word).found for word in words
    )
