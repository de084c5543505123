"""The vector index that all tenants share, at its full size: what a search in it costs and finds.

Two databases are filled. In both the organization `neighbour` has a corpus of 1,000 passages; in the first the other
organization has 10,000 beside it, in the second about 100,000: corpora of 90,000, 9,000, 1,000 and 10. First the times
are taken, then 30 % of all passages are replaced and recall is counted, then a large document is deleted. The vectors
of questions are prepared in the API process; embedding a question is timed apart.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from benchmarks import deleted_neighbour, neighbours, recall, search_speed
from benchmarks.filling import Corpus, Filler
from benchmarks.made_up import MadeUp
from benchmarks.outcome import Options, Outcome
from benchmarks.prepared_api import QUESTIONS
from benchmarks.questions import Question, make_questions, save_questions
from benchmarks.running import (
    Installation,
    another_organization,
    installation,
    key_of,
    member_of,
    new_corpus,
    running,
    services_in,
)
from matrix.domain.access import Scope
from matrix.wiring.services import Services

ASKED = 360  # questions, of which the first 60 warm up
SMALL = {"ten": 10, "thousand": 1_000, "rest": 9_000}
MAIN = 90_000
OTHERS = 10_000  # beside the neighbour, before they grow
NEIGHBOUR = 1_000
DOCUMENT = 450  # passages: two documents are 1 % of MAIN
SHOWN = 2


@dataclass(frozen=True, slots=True)
class Index:
    """A filled database. `reader` may see of the corpus `main` the documents `shown` alone."""

    place: Installation
    services: Services
    filler: Filler
    corpora: dict[str, Corpus]
    neighbour_key: str
    reader: Scope
    shown: Sequence[str]


async def measure(options: Options) -> Outcome:
    made_up = MadeUp(seed=11)
    questions = make_questions(made_up, ASKED)
    async with beside_few(made_up, options) as (few, few_key), beside_many(made_up, options) as index:
        async with api(few, questions), api(index.place, questions):
            rows = await search_speed.measure(index.place, index.corpora, questions)
            beside = [(few, few_key), (index.place, index.neighbour_key)]
            rows += await neighbours.measure(beside, questions)
        rows += await recall.measure(index.services, index.filler, index.corpora, index.reader, index.shown, questions)
        async with api(index.place, questions):
            rows += await deleted_neighbour.measure(index.place, index.services, index.filler, questions, options)
    return Outcome(tuple(rows))


@asynccontextmanager
async def beside_few(made_up: MadeUp, options: Options) -> AsyncIterator[tuple[Installation, str]]:
    """A neighbour beside a few passages of others, and its API key."""
    async with installation() as place, services_in(place) as (services, scope):
        filler = Filler(services.database, made_up)
        key = await add_neighbour(place, services, filler, options)
        others = Corpus(scope, await new_corpus(services, scope, "main"))
        await filler.fill(others, options.scaled(OTHERS, 100))
        yield place, key


@asynccontextmanager
async def beside_many(made_up: MadeUp, options: Options) -> AsyncIterator[Index]:
    async with installation() as place, services_in(place) as (services, scope):
        filler = Filler(services.database, made_up)
        key = await add_neighbour(place, services, filler, options)
        corpora = {}
        for name, chunks in SMALL.items():
            corpora[name] = Corpus(scope, await new_corpus(services, scope, name))
            await filler.fill(corpora[name], options.scaled(chunks, 10))
        reader = await member_of(services, scope, place.settings.organization, "reader@example.org")
        corpora["main"] = main = Corpus(scope, await new_corpus(services, scope, "main"))
        each = options.scaled(DOCUMENT, 20)
        shown = await filler.fill(main, SHOWN * each, each)
        await filler.fill(main, options.scaled(MAIN, 100 * SHOWN * 20) - SHOWN * each, each, [scope.user_id])
        # A new audience was made: what this process remembers of the owner's is too old.
        async with services_in(place) as (_, owner):
            for corpus in corpora.values():
                corpus.scope = owner
        yield Index(place, services, filler, corpora, key, reader, shown)


async def add_neighbour(place: Installation, services: Services, filler: Filler, options: Options) -> str:
    """Another organization with a corpus; returns its API key."""
    scope = await another_organization(place, services, neighbours.ORGANIZATION)
    corpus = Corpus(scope, await new_corpus(services, scope, neighbours.CORPUS))
    await filler.fill(corpus, options.scaled(NEIGHBOUR, 50))
    return await key_of(services, scope)


@asynccontextmanager
async def api(place: Installation, questions: Sequence[Question]) -> AsyncIterator[None]:
    path = place.settings.data_dir / "questions.npz"
    save_questions(questions, path)
    async with running(place, ("benchmarks.prepared_api",), more={QUESTIONS: str(path)}):
        yield
