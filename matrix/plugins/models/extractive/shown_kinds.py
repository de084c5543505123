"""Whether a text shows an answer of a wanted kind: a date, a length of time, an amount of money, a name.

Broad on purpose: only its absence says much.
"""

from __future__ import annotations

import re

from matrix.plugins.models.extractive.answer_kinds import AnswerKind

_NUMBER = (
    r"one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy"
    r"|eighty|ninety|hundreds?|thousands?|millions?|billions?|half|third|quarter|dozens?|once|twice|none|no|single|both"
    r"|daily|weekly|monthly|yearly|annually|free|several|unlimited"
    r"|eine?[nmr]?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf"
)
_MONTH = (
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sep(t|tember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember"
)
_DAY = r"(mon|tues?|wednes|thurs?|fri|satur|sun|week)days?|weekends?|mon|tue|wed|thu|fri|sat|sun"
_UNIT_OF_TIME = (
    r"seconds?|minutes?|mins?|hours?|days?|weeks?|months?|years?|decades?|centur(y|ies)|nights?"
    r"|sekunden?|minuten?|stunden?|tage?n?|wochen?|monate?n?|jahre?n?"
)
_UNIT_OF_WAY = r"miles?|met(er|re)s?|km|kilomet(er|re)s?|feet|foot|ft|cm|mm|m|inch(es)?|yards?|metern?|kilometern?"
_MONEY = r"eur|usd|gbp|chf|euros?|dollars?|pounds?|pence|cents?|francs?|yen|free|percent|million|billion|kostenlos"

_SHOWN: dict[AnswerKind, re.Pattern[str]] = {
    kind: re.compile(shape, re.IGNORECASE)
    for kind, shape in (
        (AnswerKind.NUMBER, rf"(?<![\w-])[\d½¼¾]|\b({_NUMBER})\b"),
        (AnswerKind.MONEY, rf"[€$£¥%]|\b\d?({_MONEY})\b"),
        (
            AnswerKind.SPAN,
            rf"\b(\d[\d.,]*|{_NUMBER}|an?|the|few|{_MONTH})[- ]?(\w+ ){{0,2}}({_UNIT_OF_TIME}|{_UNIT_OF_WAY}|terms?)\b"
            rf"|\b\d{{4}}\b|\b({_DAY}|until|unlimited|permanent(ly)?|immediately|at once|forever|annually|daily|bis)\b",
        ),
        (
            AnswerKind.TIME,
            rf"\b\d{{3,4}}s?\b|\d{{1,2}}[:.]\d{{2}}|\b\d{{1,2}}\s*(am|pm|a\.m|p\.m|uhr|(st|nd|rd|th)\b)"
            rf"|\b({_MONTH}|{_DAY}|{_UNIT_OF_TIME})\b|\b(today|yesterday|tomorrow|noon|midnight|spring|summer|autumn|fall"
            rf"|winter|mornings?|evenings?|night|annually|yearly|monthly|weekly|daily|after|before|until|during|within"
            rf"|once|when|if|always|never|nach|vor|bis|wenn|sobald|jahrhunderts?)\b",
        ),
        (AnswerKind.CONTACT, r"\S@\S|https?:|www\.|\b[\w-]+\.(com|org|net|io|de|example)\b|\+?\d[\d ()/-]{5,}\d"),
        (
            AnswerKind.REASON,
            r"\b(because|due to|since|so that|in order|caused?|reasons?|result(s|ed|ing)?|therefore|as a|otherwise"
            r"|to (avoid|prevent|keep|protect|ensure|make|reduce|be)|weil|wegen|damit|da)\b",
        ),
    )
}
_CAPITALISED = re.compile(r"[^\W\d_a-zà-öø-ÿ][\w'’.-]+")
_ROLE = re.compile(
    r"\b(manager|director|officer|team|department|head|lead|owner|supervisor|administrators?|board|staff|employees?"
    r"|customers?|users?|members?|people|desk|office|committee|council|president|king|queen|government|engineers?"
    r"|anyone|everyone|everybody|nobody|children|persons?)\b",
    re.IGNORECASE,
)
_DATE = re.compile(rf"\b(in|since|until|by|from|{_MONTH}) (1[5-9]|20)\d\d\b|\b\d{{1,2}}\.? ({_MONTH})\b", re.IGNORECASE)
_CALENDAR = re.compile(rf"({_MONTH}|{_DAY})", re.IGNORECASE)
_ENUMERATOR = re.compile(r"(?:^|(?<=\s))\(?\d{1,2}[.)]\s")


def shows_kind(text: str, kind: AnswerKind, question_words: frozenset[str]) -> bool | None:
    """Whether `text` shows something of that kind which the question did not say itself. None: cannot be told."""
    if kind in (AnswerKind.ANY, AnswerKind.STEPS):
        return None
    if kind is AnswerKind.NUMBER:
        text = _DATE.sub("", text)  # a year is no count
    if kind in (AnswerKind.PERSON, AnswerKind.PLACE):
        return _new_name(text, question_words) or (kind is AnswerKind.PERSON and _ROLE.search(text) is not None)
    shown = _SHOWN[kind].finditer(_ENUMERATOR.sub("", text))
    return any(match.group().lower().strip(" .,") not in question_words for match in shown)


def _new_name(text: str, question_words: frozenset[str]) -> bool:
    words = [
        match
        for match in _CAPITALISED.finditer(text)
        if match.group().lower() not in question_words and not _CALENDAR.fullmatch(match.group())
    ]
    return any(match.start() > 0 or " " not in text for match in words)
