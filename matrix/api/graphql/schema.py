"""The schema: made of the platform's entity types once, when the application is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import strawberry
from graphql import GraphQLError
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from matrix.api.graphql.operations.chat_mutations import ChatMutations, agent_fields
from matrix.api.graphql.operations.document_mutations import (
    DeletionMutations,
    ProcessingMutations,
    ReceiptQuery,
    UploadMutations,
    document_fields,
)
from matrix.api.graphql.operations.entity_mutations import entity_mutations
from matrix.api.graphql.operations.entity_queries import entity_fields
from matrix.api.graphql.operations.people_mutations import LinkMutations, people_mutation_fields
from matrix.api.graphql.operations.people_queries import PeopleQuery, people_query_fields
from matrix.api.graphql.operations.search import SearchQuery
from matrix.api.graphql.operations.subscriptions import Subscription
from matrix.api.graphql.operations.type_definitions import TypeMutations, TypeQuery
from matrix.api.graphql.types.objects import make_object_types
from matrix.api.graphql.types.relations import relations
from matrix.api.graphql.types.scalars import SCALARS
from matrix.domain.entities import EntityType

QUERIES = (SearchQuery, PeopleQuery, TypeQuery, ReceiptQuery)
MUTATIONS = (
    UploadMutations,
    ProcessingMutations,
    DeletionMutations,
    ChatMutations,
    LinkMutations,
    TypeMutations,
)


class QuietSchema(strawberry.Schema):
    """Strawberry's schema without its log of every error, in which a client's secrets may stand: what is unexpected is
    logged where errors are shown."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        pass


def make_schema(types: Mapping[str, EntityType], extensions: list[Any]) -> strawberry.Schema:
    """`types` are the platform's; `extensions` guard each operation."""
    objects = make_object_types(types, relations)
    query = _root("Query", QUERIES, {**entity_fields(objects), **people_query_fields(objects)})
    changing = {
        **entity_mutations(objects),
        **document_fields(objects),
        **agent_fields(objects),
        **people_mutation_fields(objects),
    }
    return QuietSchema(
        query=query,
        mutation=_root("Mutation", MUTATIONS, changing),
        types=[objects.own, *objects.objects.values()],
        subscription=Subscription,
        extensions=extensions,
        config=StrawberryConfig(scalar_map=SCALARS),
    )


def _root(name: str, parts: tuple[type, ...], fields: Mapping[str, Any]) -> Any:
    return strawberry.type(type(name, parts, dict(fields)), name=name)
