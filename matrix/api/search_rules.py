"""What may be asked of a search, by REST and GraphQL alike."""

from __future__ import annotations

import re

from matrix.domain.documents import SourceKind
from matrix.domain.entities import is_text
from matrix.domain.retrieval import SearchFilters, SearchRequest
from matrix.errors import InvalidInput

LONGEST_QUERY = 8000  # characters
MOST_HITS = 50
MOST_CORPORA = 20
MOST_DOCUMENTS = 1000  # in a filter
MOST_VALUES = 50  # in any other
LONGEST_VALUE = 200  # characters
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


def check_search(request: SearchRequest) -> SearchRequest:
    """The request, if it may be asked. Errors: InvalidInput."""
    if not request.query.strip() or len(request.query) > LONGEST_QUERY or not is_text(request.query):
        raise InvalidInput(f"A query has between 1 and {LONGEST_QUERY} characters.", field="query")
    if not 1 <= request.top_k <= MOST_HITS:
        raise InvalidInput(f"topK must be between 1 and {MOST_HITS}.", field="topK")
    if request.min_score is not None and not -1 <= request.min_score <= 1:
        raise InvalidInput("minScore must be between -1 and 1.", field="minScore")
    check_filters(request.filters)
    return request


def check_filters(filters: SearchFilters) -> None:
    """Errors: InvalidInput, which names the filter."""
    _check_values("documents", filters.document_ids, MOST_DOCUMENTS)
    _check_values("sourceKinds", filters.source_kinds)
    _check_values("languages", filters.languages)
    _check_values("tags", filters.tags)
    kinds = [kind.value for kind in SourceKind]
    if not set(filters.source_kinds) <= set(kinds):
        raise InvalidInput(f"A source kind is one of {', '.join(kinds)}.", field="filters.sourceKinds")
    if not all(_LANGUAGE.fullmatch(language) for language in filters.languages):
        raise InvalidInput("A language is a code such as en or pt-BR.", field="filters.languages")


def _check_values(name: str, values: tuple[str, ...], most: int = MOST_VALUES) -> None:
    if len(values) > most:
        raise InvalidInput(f"This filter holds at most {most} values.", field=f"filters.{name}")
    if not all(0 < len(value) <= LONGEST_VALUE and is_text(value) for value in values):
        raise InvalidInput(f"A value has 1 to {LONGEST_VALUE} characters.", field=f"filters.{name}")
