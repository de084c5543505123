"""A question as a query of the full-text index: required scope tokens that do not score, and any of its words. Nothing
of what a person typed can be read as syntax: words hold letters, marks, digits and `_` alone, the rest is quoted."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matrix.domain.access import Scope
from matrix.domain.retrieval import SearchFilters
from matrix.graph.search.common_words import common_among
from matrix.graph.search.scope_tokens import tag_token, token

MAX_WORDS = 64
MAX_TOKENS = 200  # alternatives of one required clause; Lucene takes 1,024 clauses in all
FIELDS = ("text", "heading^1.5", "title^1.5", "context^0.5")
_EXACT_BOOST = "^3"


@dataclass(frozen=True, slots=True)
class QueryWords:
    """What is looked for: single words, and pieces like ERR-4711 or "a quoted phrase" that must stand as they are."""

    words: tuple[str, ...]
    exact: tuple[str, ...]


def keyword_query(scope: Scope, knowledge_ids: Sequence[str], query: str, filters: SearchFilters) -> str | None:
    """The query string; None when the question holds no word at all."""
    wanted = words_of(query)
    if not wanted.words and not wanted.exact:
        return None
    clauses = [_required([token("o", scope.org_id)])]
    clauses.append(_required(token("k", one) for one in knowledge_ids))
    clauses.append(_required(token("p", one) for one in scope.principals or (scope.org_id, scope.user_id)))
    clauses.append(_required(token("d", one) for one in filters.document_ids))
    clauses.append(_required(token("s", one) for one in filters.source_kinds))
    clauses.append(_required(token("l", one) for one in filters.languages))
    clauses.append(_required(tag_token(one) for one in filters.tags))
    return " ".join([clause for clause in clauses if clause] + [_any_of(wanted)])


def words_of(query: str) -> QueryWords:
    """The words of a question, each once; words without a meaning of their own only if there are no others."""
    words: dict[str, None] = {}
    exact: dict[str, None] = {}
    text = unicodedata.normalize("NFC", query).lower()
    for number, part in enumerate(text.split('"')):
        if number % 2 and len(part.split()) > 1 and _parts(part):
            exact[" ".join(part.replace("\\", " ").split())] = None
        for piece in part.split():
            _read_piece(piece.replace("\\", " ").strip(), words, exact)
    common = common_among(words)
    meaning = [word for word in words if word not in common] or list(words)
    longest = set(sorted(meaning, key=len, reverse=True)[:MAX_WORDS])
    return QueryWords(tuple(word for word in meaning if word in longest), tuple(exact)[:MAX_WORDS])


def _read_piece(piece: str, words: dict[str, None], exact: dict[str, None]) -> None:
    parts = _parts(piece)
    if len(parts) > 1:
        start, end = piece.index(parts[0]), piece.rindex(parts[-1]) + len(parts[-1])
        exact[piece[start:end]] = None
    words.update(dict.fromkeys(part for part in parts if len(parts) == 1 or not part.isdigit()))


def _parts(piece: str) -> list[str]:
    return "".join(char if _is_word(char) else " " for char in piece).split()


def _is_word(char: str) -> bool:
    return char == "_" or unicodedata.category(char)[0] in "LMN"


def _required(tokens: Iterable[str]) -> str:
    """A clause that one of the tokens must fulfil. With too many it is left to the graph's check."""
    alternatives = list(dict.fromkeys(tokens))
    if not alternatives or len(alternatives) > MAX_TOKENS:
        return ""
    return f"+scopeTokens:({' '.join(alternatives)})^0"


def _any_of(wanted: QueryWords) -> str:
    clauses = []
    for field in FIELDS:
        name, _, boost = field.partition("^")
        if wanted.words:
            clauses.append(f"{name}:({' '.join(wanted.words)}){'^' + boost if boost else ''}")
    clauses += [f'text:"{piece}"{_EXACT_BOOST}' for piece in wanted.exact]
    clauses += [f'title:"{piece}"' for piece in wanted.exact]
    return f"+({' '.join(clauses)})"
