"""Words that carry no meaning of their own, in the languages that questions are asked in most. Which language a
question is in shows by them: «war» is one in German, and not in English. In another language nothing is lost, for rare
words weigh more by themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterable

_SIGNS_OF_A_LANGUAGE = 2  # one such word may be anything

_ENGLISH = """a an and any are as at be been but by can could did do does for from had has have he her his how i if in
into is it its me my no not of on or our she should so some than that the their them then there these they this those to
was we were what when where which who whom whose why will with would you your"""

_GERMAN = """aber als am an auch auf aus bei bin bis das dass dem den der des die doch du durch ein eine einem einen
einer eines er es für gibt hat haben hatte ich ihr im in ist kann man mit nach nicht noch nur oder sein sich sie sind so
über um und uns unter vom von vor war waren warum was wann welche welcher welches wenn wer werden wie wir wird wo wurde
zu zum zur"""

_FRENCH = """à au aux avec ce ces cette comment d dans de des du elle en est et il ils je l la le les leur lui mais ne
nous où ou par pas pour pourquoi qu quand que quel quelle quels quelles qui sa se ses si son sont sur un une vous
était"""

_SPANISH = """a al como cómo con cual cuál cuando cuándo de del donde dónde el ella en era es esta este está fue ha la
las lo los más no o para pero por porque que qué quien quién se sin sobre son su sus un una uno y"""

_PORTUGUESE = """a ao as com como da das de do dos e ela ele em era essa esta este está foi há mais na nas no nos não o
onde os para pela pelo por porque qual quando que quem se sem sobre sua suas são um uma"""

_ITALIAN = """a al che chi come con cosa da dei del della delle di dove e è era gli ha i il in la le lo ma nel nella non
o per perché più qual quale quali quando quanto se si sono sua suo sul sulla tra un una uno"""

_DUTCH = """aan bij dat de deze die dit een en er het hoe ik in is maar met naar niet of om op te tot uit van voor waar
waarom wanneer was wat welke werd wie wordt zijn"""

_LANGUAGES = tuple(
    frozenset(words.split()) for words in (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _PORTUGUESE, _ITALIAN, _DUTCH)
)


def common_among(words: Iterable[str]) -> Collection[str]:
    """Those of the words (in small letters) that mean nothing in the language which has most of them."""
    asked = set(words)
    found = max((asked & language for language in _LANGUAGES), key=len)
    return found if len(found) >= _SIGNS_OF_A_LANGUAGE else frozenset()
