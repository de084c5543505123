"""What kind of answer a question's wording asks for. Whether a text shows one is told in `shown_kinds`."""

from __future__ import annotations

import re
from enum import StrEnum


class AnswerKind(StrEnum):
    """SPAN is a length of time or way; STEPS and ANY have no marks by which a text could be told."""

    PERSON = "PERSON"
    TIME = "TIME"
    SPAN = "SPAN"
    MONEY = "MONEY"
    NUMBER = "NUMBER"
    PLACE = "PLACE"
    STEPS = "STEPS"
    REASON = "REASON"
    CONTACT = "CONTACT"
    ANY = "ANY"


# The first that matches counts.
_WORDINGS: tuple[tuple[AnswerKind, str], ...] = (
    (AnswerKind.CONTACT, r"\b(e-?mail address|phone|telephone|hotline|fax|url|website|web address|telefonnummer)\b"),
    (
        AnswerKind.MONEY,
        r"\bhow much\b.*\b(costs?|pay|paid|charged?|spend|spent|earn|money|fee|price)\b|\bhow (expensive|cheap)\b"
        r"|\bwhat (is|was|are|were) the [^?]*\b(price|fee|salary)\b|\bwhat (does|do|did|will) [^?]*\bcost\b"
        r"|\bwie ?viel [^?]*\b(kostet|kosten|zahlt|zahlen)\b|\bwas kostet\b",
    ),
    (AnswerKind.SPAN, r"\bhow (long|soon|quickly|far in advance|old)\b|\bwie (lange|alt|schnell)\b"),
    (
        AnswerKind.NUMBER,
        r"\bhow (many|much|far|large|big|tall|high|deep|heavy|fast|often|wide|late|early)\b"
        r"|\bwhat (is|was|are|were) the (\w+ )?(cost|rate|percentage|number|amount|population|limit|maximum|minimum"
        r"|weight|size|voltage|temperature|total|capacity|dimensions?)\b"
        r"|\bwhat (is|was|are|were) the [^?]*\b(height|weight|length|width|depth)\b"
        r"|\b(what|which) (percentage|percent|number|amount|share|proportion)\b"
        r"|\bwie (viele?|oft|hoch|groß|weit|schwer)\b|\bwieviele?\b|\bcombien\b|\bcuánt[oa]s?\b",
    ),
    (
        AnswerKind.TIME,
        r"^(?!.*\bwhat (happens|should|do|does)\b).*\bwhen\b"
        r"|\b(what|which|in what|in which) (\w+ )?(year|date|day|month|century|decade|time|season|hours?)\b"
        r"|\b(since|until) (what|when)\b|\bbirthday\b|\bdate of birth\b|\bdeadline\b"
        r"|\bwann\b|\bwelche[sm]? (jahr|tag|datum|monat)\b|\bquand\b|\bcuándo\b",
    ),
    (
        AnswerKind.PERSON,
        r"\b(who|whom|whose)\b|\bwhat (\w+ )?(person|people)\b|\bwe[rmn]\b|\bwessen\b|\bqui\b|\bquién\b",
    ),
    (AnswerKind.PLACE, r"\bwhere\b|\b(what|which) (\w+ )?(city|country|state|place|town|region|river)\b|\bwo\b"),
    (AnswerKind.REASON, r"\bwhy\b|\bwhat (is|was) the reason\b|\bwarum\b|\bweshalb\b|\bpourquoi\b"),
    (AnswerKind.STEPS, r"\bhow (do|can|should|to|must)\b|\bwhat (are the )?steps\b|\bwie (kann|mache|wird)\b"),
)
_WANTED = tuple((kind, re.compile(wording, re.IGNORECASE)) for kind, wording in _WORDINGS)


def wanted_kind(question: str) -> AnswerKind:
    """The kind of answer that the question's wording asks for; ANY where it does not say."""
    return next((kind for kind, wording in _WANTED if wording.search(question)), AnswerKind.ANY)
