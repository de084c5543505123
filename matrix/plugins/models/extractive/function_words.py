"""Words that carry grammar and no subject, by language, and nouns that only name the kind of answer wanted.

Data only. A language without a list here works by inverse document frequency alone.
"""

from __future__ import annotations

_ENGLISH = """
a about above after again against all also am an and any anyone anything are aren't as at be because been before
being below between big both but by called can can't cannot could couldn't did didn't do does doesn't doing don't
down during each either else ever every far few for from further get gets getting give given gives got had hadn't
happen happened happens has hasn't have haven't having he her here hers herself him himself his how however i i'm
i've if in into is isn't it it's its itself just know let like long many may me mean means might mine more most much
must my myself neither no nor of off often old on once one ones only or other our ours out over own per please same
shall she should shouldn't so some someone something such tell than that that's the their theirs them themselves
then there there's these they this those though through to too under until up upon us very was wasn't we were
weren't what what's when where where's which while who who's whom whose why will with within without won't would
wouldn't yes you your yours yourself
"""
_GERMAN = """
aber alle allem allen aller alles als also alt am an ander andere anderen auch auf aus bei beim bin bis bist da
dabei dafür damit danach dann daran darauf das dass dazu dein deine dem den denn der deren des dessen dich die dies
diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines einige er es etwas euch
euer für gab gegen geht gibt groß habe haben hat hatte hatten heißt hier hinter hoch ich ihm ihn ihnen ihr ihre
ihrem ihren ihrer im in indem ins ist ja jede jedem jeden jeder jedes jener kann keinem können könnte lang lange
machen man mehr mein meine mich mir mit muss müssen nach nichts noch nun nur ob oder oft ohne sehr sein seine seinem
seinen seiner seit sich sie sind so solche soll sollen sollte sondern sonst um und uns unser unsere unter viel viele
vom von vor wann war waren warum was wegen weil weit welche welchem welchen welcher welches wem wen wenn wer werden
wessen wie wieder wieviel wieviele will wir wird wo wohin worden wurde wurden während würde zu zum zur zwischen über
"""
_FRENCH = """
ai as au aux avait avec ce cela ces cette chez combien comme comment d dans de des donc dont du elle elles en est et
eu fait il ils j je l la le les leur leurs lui m ma mais me mes moi n ne nos notre nous on ont ou où par pas plus
pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se ses si son sont sur ta te tes toi ton tu
un une vos votre vous y à était été être
"""
_SPANISH = """
a al algo ante como con cual cuando cuál cuáles cuándo cuánta cuántas cuánto cuántos cómo de del desde donde dónde e
el ella ellas ellos en entre era es esa ese eso esta este esto está fue ha hace hay la las le les lo los me mi mis
muy más no nos o para pero por porque que quien quién quiénes qué se ser si sin sobre son su sus sí también te tiene
tu un una uno unos y ya yo él
"""
_ANSWER_NOUNS = """
address addresses amount answer anzahl art date datum day detail details document documents email example group
grund info information jahr jahre kind kinds list mail main many menschen name names number ort page part people
percent percentage period person phone place policies policy procedure process purpose quantity reason role rule
rules section sort teil telephone term thing things time type types value way ways word year years zahl
"""

_LIGHT_WORDS = """
applied apply arrange ask available back become best bring buy change come consist contain contains cover describe
different do exist find first fit fits fix follow following go good handle have hold important include included
includes keep kein keine keinen keiner last lasts look main make makes need needed new nicht not offer offers
possible prepare provide provided receive require required say says set spend stand start take takes turn use used
using want wants work works
"""

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "english": frozenset(_ENGLISH.split()),
    "german": frozenset(_GERMAN.split()),
    "french": frozenset(_FRENCH.split()),
    "spanish": frozenset(_SPANISH.split()),
}

# A sentence that answers rarely repeats them ("what year ...", "which type of ...").
ANSWER_NOUNS: frozenset[str] = frozenset(_ANSWER_NOUNS.split())

# Verbs and the like that a paraphrase changes first ("How much water fits in ...": "... holds 2 litres"); and "not",
# which tells what is excluded from what is not.
LIGHT_WORDS: frozenset[str] = frozenset(_LIGHT_WORDS.split())


def language_of(words: list[str]) -> str:
    """The language whose function words occur most often in `words` (lower case); English where none does."""
    counts = {language: sum(word in known for word in words) for language, known in FUNCTION_WORDS.items()}
    best = max(counts, key=lambda language: counts[language])
    return best if counts[best] > counts["english"] else "english"
