"""Words of ordinary documents that stand for one another. Data only, English; they count less than the word itself.

Kept small on purpose: sentence similarity does this better where an embedder is at hand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

_GROUPS = """
cost price fee charge pay payment expense
holiday vacation leave
phone telephone call hotline
buy purchase order
start begin commence
end finish expire close stop
allow permit may entitle
employee staff worker personnel
boss manager supervisor
refund reimburse money
return send
repair fix mend
delete remove erase
found establish create start
die death
born birth
work job employ
salary wage pay
illness sick ill
notify inform report tell
responsible charge accountable
maximum limit most up
minimum least
warranty guarantee
deliver ship dispatch
cancel terminate
error fault failure problem
choose select pick
need require must necessary
wear clothing dress
dispose discard
keep retain store
lose lost missing
own owner belong
build construct
write author
make produce manufacture
kill murder
live reside
fast speed
heavy weight weigh
tall height high
long length
old age
big large size
far distance
change modify alter
forbid prohibit ban
help support assist
meet meeting
lead head director
company firm business
car vehicle
home house remote
""".strip().splitlines()


@lru_cache(maxsize=1)
def _by_word() -> dict[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for group in _GROUPS:
        words = frozenset(group.split())
        for word in words:
            groups[word] = groups.get(word, frozenset()) | words
    return groups


def synonyms_of(stem: str, language: str, stem_word: Callable[[str], str]) -> frozenset[str]:
    """The stems that may stand for `stem`, without itself; none outside English."""
    if language != "english":
        return frozenset()
    return _stemmed(stem_word).get(stem, frozenset()) - {stem}


@lru_cache(maxsize=4)
def _stemmed(stem_word: Callable[[str], str]) -> dict[str, frozenset[str]]:
    by_stem: dict[str, frozenset[str]] = {}
    for word, group in _by_word().items():
        stem = stem_word(word)
        by_stem[stem] = by_stem.get(stem, frozenset()) | frozenset(map(stem_word, group))
    return by_stem
