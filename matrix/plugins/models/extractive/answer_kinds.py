"""What kind of answer a question wants, and whether a text shows one."""

from __future__ import annotations

import re
from enum import StrEnum


class AnswerKind(StrEnum):
    PERSON = "PERSON"
    TIME = "TIME"
    NUMBER = "NUMBER"
    PLACE = "PLACE"
    STEPS = "STEPS"
    REASON = "REASON"
    CONTACT = "CONTACT"
    ANY = "ANY"


_WANTED: tuple[tuple[AnswerKind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        (AnswerKind.CONTACT, r"\b(e-?mail|phone|telephone|hotline|fax|url|website|web address|telefonnummer)\b"),
        (
            AnswerKind.NUMBER,
            r"\bhow (many|much|long|old|far|large|big|tall|high|deep|heavy|fast|often|wide|quickly|soon|late|early)\b"
            r"|\bwhat (is|was|are|were) the (\w+ )?(price|cost|fee|rate|percentage|number|amount|population|limit"
            r"|maximum|minimum|deadline|weight|size|voltage|temperature|budget|salary|total|capacity|dimensions?)\b"
            r"|\b(what|which) (percentage|percent|number|amount)\b|\bwie (viele?|lange|oft|hoch|groß|alt|weit|schwer)\b"
            r"|\bwieviele?\b|\bcombien\b|\bcuánt[oa]s?\b",
        ),
        (
            AnswerKind.TIME,
            r"\bwhen\b|\b(what|which|in what|in which) (\w+ )?(year|date|day|month|century|decade|time|season|hours?)\b"
            r"|\bsince what\b|\bwann\b|\bwelche[sm]? (jahr|tag|datum|monat)\b|\bquand\b|\bcuándo\b",
        ),
        (
            AnswerKind.PERSON,
            r"\b(who|whom|whose)\b|\bwhat (\w+ )?(person|people)\b|\bwe[rmn]\b|\bwessen\b|\bqui\b|\bquién\b",
        ),
        (AnswerKind.PLACE, r"\bwhere\b|\b(what|which) (\w+ )?(city|country|state|place|town|region|river)\b|\bwo\b"),
        (AnswerKind.REASON, r"\bwhy\b|\bwhat (is|was) the reason\b|\bwarum\b|\bweshalb\b|\bpourquoi\b"),
        (AnswerKind.STEPS, r"\bhow (do|can|should|to|must)\b|\bwhat (are the )?steps\b|\bwie (kann|mache|wird)\b"),
    )
)

_NUMBER_WORD = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundreds?|thousands?|millions?|billions?|half|third|quarter|dozens?|once|twice|none|no|single|both"
    r"|daily|weekly|monthly|yearly|annually|free|several|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
)
_MONTH = (
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(t|tember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember"
)
_DAY = (
    r"mon(day)?s?|tue(sday)?s?|wed(nesday)?s?|thu(rsday)?s?|fri(day)?s?|sat(urday)?s?|sun(day)?s?|weekends?|weekdays?"
)

_SHOWN: dict[AnswerKind, re.Pattern[str]] = {
    AnswerKind.NUMBER: re.compile(rf"\d|\b({_NUMBER_WORD})\b", re.IGNORECASE),
    AnswerKind.TIME: re.compile(
        rf"\b\d{{3,4}}s?\b|\d{{1,2}}[:.]\d{{2}}|\b\d{{1,2}}\s*(am|pm|a\.m|p\.m|uhr|days?|weeks?|months?|years?|hours?"
        rf"|minutes?|(st|nd|rd|th)\b)|\b({_MONTH})\b|\b({_DAY})\b|\b(century|centuries|today|yesterday|tomorrow|noon"
        rf"|midnight|spring|summer|autumn|fall|winter|morning|evening|night|annually|yearly|monthly|weekly|daily"
        rf"|after|before|until|during|within|once|jahrhundert)\b",
        re.IGNORECASE,
    ),
    AnswerKind.CONTACT: re.compile(r"\S@\S|https?:|www\.|\b[\w-]+\.(com|org|net|io|de|example)\b|\+?\d[\d ()/-]{5,}\d"),
    AnswerKind.REASON: re.compile(
        r"\b(because|due to|since|so that|in order|caused?|reasons?|result(s|ed|ing)?|therefore|as a|to (avoid|prevent"
        r"|keep|protect|ensure|make|reduce|be)|weil|wegen|damit|da)\b",
        re.IGNORECASE,
    ),
}
_CAPITALISED = re.compile(r"[^\W\d_a-zà-öø-ÿ][\w'’.-]+")
_ROLE = re.compile(
    r"\b(manager|director|officer|team|department|head|lead|owner|supervisor|administrators?|board|staff|employees?|customers?"
    r"|users?|members?|people|desk|office|committee|council|president|king|queen|government|engineers?|anyone|everyone)\b",
    re.IGNORECASE,
)


def wanted_kind(question: str) -> AnswerKind:
    """The kind of answer that the question's wording asks for; ANY where it does not say."""
    return next((kind for kind, pattern in _WANTED if pattern.search(question)), AnswerKind.ANY)


def shows_kind(text: str, kind: AnswerKind, question_words: frozenset[str]) -> bool | None:
    """Whether `text` shows something of that kind which the question did not say itself. None: cannot be told."""
    if kind in (AnswerKind.ANY, AnswerKind.STEPS):
        return None
    if kind in (AnswerKind.PERSON, AnswerKind.PLACE):
        return _new_name(text, question_words) or (kind is AnswerKind.PERSON and _ROLE.search(text) is not None)
    shown = _SHOWN[kind].finditer(text)
    return any(match.group().lower().strip(" .,") not in question_words for match in shown)


def _new_name(text: str, question_words: frozenset[str]) -> bool:
    words = [match for match in _CAPITALISED.finditer(text) if match.group().lower() not in question_words]
    return any(match.start() > 0 or " " not in text for match in words)
