"""What changed in a corpus since a moment, and the type of an id: what GraphQL asks of the stores."""

from __future__ import annotations

from datetime import timedelta

import pytest

from matrix.errors import NotFound
from matrix.graph.database import Database
from matrix.graph.documents.documents import BEGINNING, CHANGED_SINCE
from matrix.graph.entities.entities import Neo4jEntities
from tests.graph.corpora import Stores, new_corpus, new_organization, stores_on, upload
from tests.graph.schema.test_schema import plan_of


@pytest.fixture
def stores(database: Database) -> Stores:
    return stores_on(database)


async def test_changes_are_told_newest_first_and_since_a_moment(database: Database, stores: Stores) -> None:
    scope = await new_organization(database)
    corpus, another = await new_corpus(database, scope), await new_corpus(database, scope)
    sent = [(await upload(stores, scope, corpus, name, name)).document_id for name in ("a.txt", "b.txt", "c.txt")]
    await upload(stores, scope, another, "d.txt", "elsewhere")
    changes = await stores.documents.changed_since(scope, corpus, None, 10)
    assert list(changes) == sent[::-1]
    newest = max(changes.values())
    assert list(await stores.documents.changed_since(scope, corpus, newest, 10)) == [sent[2]]
    assert await stores.documents.changed_since(scope, corpus, newest + timedelta(seconds=1), 10) == {}
    assert list(await stores.documents.changed_since(scope, corpus, None, 1)) == [sent[2]]
    await stores.documents.rename(scope, str(sent[0]), "z.txt")
    assert next(iter(await stores.documents.changed_since(scope, corpus, newest, 10))) == sent[0]


async def test_others_and_the_deleted_are_not_told(database: Database, stores: Stores) -> None:
    scope, stranger = await new_organization(database), await new_organization(database)
    corpus = await new_corpus(database, scope)
    document = (await upload(stores, scope, corpus, "a.txt", "text")).document_id
    assert await stores.documents.changed_since(stranger, corpus, None, 10) == {}
    await stores.documents.delete_document(scope, str(document))
    assert await stores.documents.changed_since(scope, corpus, None, 10) == {}


async def test_changes_are_read_from_an_index(database: Database) -> None:
    plan = await plan_of(
        database,
        "CYPHER 25" + CHANGED_SINCE,
        {"knowledge": "k", "org": "o", "audiences": ["a"], "since": BEGINNING.isoformat(), "limit": 10},
    )
    assert "NodeIndexSeek" in plan, plan
    assert "Sort" not in plan and "Top" not in plan, plan


async def test_the_type_of_an_id(database: Database, stores: Stores, entities: Neo4jEntities) -> None:
    scope, stranger = await new_organization(database), await new_organization(database)
    corpus = await new_corpus(database, scope)
    assert await entities.type_of(scope, corpus) == "Knowledge"
    assert await entities.type_of(scope, scope.user_id) == "User"
    for who, entity_id in ((stranger, corpus), (scope, "0" * 32)):
        with pytest.raises(NotFound):
            await entities.type_of(who, entity_id)
