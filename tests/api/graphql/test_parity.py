"""Everything that REST does can be done by GraphQL, too. A new route fails here until it has a counterpart, or a reason
why it has none."""

from __future__ import annotations

from pathlib import Path

import pytest
from graphql import GraphQLObjectType, GraphQLSchema, build_schema

from matrix.api.graphql.types.names import capital, one_and_many
from matrix.domain.entities import Verb
from matrix.graph.entities.type_files import read_entity_types
from tests.support.application import Deployment

pytestmark = pytest.mark.feature("A5")

ORG = "/api/orgs/{slug}"

# Route -> the fields that do the same: `Type.field`.
COUNTERPARTS = {
    "GET /api/auth/me": "Query.me",
    "GET /api/orgs": "Query.organizations",
    "POST /api/orgs": "Mutation.createOrganization",
    f"GET {ORG}": "Query.organization",
    f"PATCH {ORG}": "Mutation.updateOrganization",
    f"DELETE {ORG}": "Mutation.deleteOrganization",
    f"GET {ORG}/invitations": "Query.invitations",
    f"POST {ORG}/invitations": "Mutation.createInvitation",
    f"DELETE {ORG}/invitations/{{invitation_id}}": "Mutation.revokeInvitation",
    f"GET {ORG}/users": "Query.users",
    f"GET {ORG}/users/{{id_or_email}}": "Query.user",
    f"PATCH {ORG}/users/{{id_or_email}}": "Mutation.updateUser",
    f"DELETE {ORG}/users/{{id_or_email}}": "Mutation.deleteUser",
    f"POST {ORG}/users/{{id_or_email}}/reset": "Mutation.resetPassword",
    f"GET {ORG}/api-keys": "Query.apiKeys",
    f"POST {ORG}/api-keys": "Mutation.createApiKey",
    f"GET {ORG}/api-keys/{{key_id}}": "Query.apiKey",
    f"DELETE {ORG}/api-keys/{{key_id}}": "Mutation.deleteApiKey",
    # GraphQL takes no multipart: it gives a signed link to this very route.
    f"POST {ORG}/knowledge/{{id_or_key}}/files": "Mutation.createUpload",
    f"POST {ORG}/knowledge/{{id_or_key}}/texts": "Mutation.addText",
    f"GET {ORG}/documents/{{document_id}}/download": "KnowledgeDocument.download",
    f"GET {ORG}/documents/{{document_id}}/text": "KnowledgeDocument.parsedText",
    f"GET {ORG}/documents/{{document_id}}/versions": "KnowledgeDocument.versions",
    f"PATCH {ORG}/documents/{{document_id}}": "Mutation.updateDocument",
    f"DELETE {ORG}/documents/{{document_id}}": "Mutation.deleteDocument",
    f"POST {ORG}/documents/{{document_id}}/retry": "Mutation.retryDocument",
    f"POST {ORG}/documents/{{document_id}}/reprocess": "Mutation.reprocessDocument",
    f"POST {ORG}/documents/{{document_id}}/cancel": "Mutation.cancelDocument",
    f"PUT {ORG}/documents/{{document_id}}/audience": "Mutation.setDocumentAudience",
    f"DELETE {ORG}/knowledge/{{id_or_key}}": "Mutation.deleteKnowledge",
    f"GET {ORG}/receipts/{{receipt_id}}": "Query.receipt",
    f"POST {ORG}/knowledge/{{id_or_key}}/search": "Query.search",
    f"POST {ORG}/agents/{{id_or_key}}/chat": "Mutation.ask Subscription.chat",
    f"POST {ORG}/knowledge/{{id_or_key}}/chat": "Mutation.askKnowledge Subscription.chatKnowledge",
    f"POST {ORG}/sessions/{{session_id}}/stop": "Mutation.stopAnswer",
    f"GET {ORG}/messages": "Query.messages",
    f"GET {ORG}/messages/{{message_id}}": "Query.message",
    f"PUT {ORG}/agents/{{agent}}/knowledge/{{knowledge}}": "Mutation.attachKnowledge",
    f"DELETE {ORG}/agents/{{agent}}/knowledge/{{knowledge}}": "Mutation.detachKnowledge",
    f"POST {ORG}/model-providers/{{id_or_key}}/test": "Mutation.testModelProvider",
    f"GET {ORG}/entity-types": "Query.entityTypes",
    f"POST {ORG}/entity-types": "Mutation.createEntityType",
    f"GET {ORG}/entity-types/{{key}}": "Query.entityType",
    f"PATCH {ORG}/entity-types/{{key}}": "Mutation.updateEntityType",
    f"GET {ORG}/{{collection}}": "Query.entities",
    f"POST {ORG}/{{collection}}": "Mutation.createEntity",
    f"GET {ORG}/{{collection}}/{{id_or_key}}": "Query.entity",
    f"PATCH {ORG}/{{collection}}/{{id_or_key}}": "Mutation.updateEntity",
    f"DELETE {ORG}/{{collection}}/{{id_or_key}}": "Mutation.deleteEntity",
}

WITHOUT = {
    # Signing in gives tokens and sets cookies, and happens before there is a caller.
    "POST /api/auth/login",
    "POST /api/auth/session",
    "POST /api/auth/refresh",
    "POST /api/auth/logout",
    "POST /api/auth/accept",
    "POST /api/auth/password",
    # For whoever watches over the process.
    "GET /health",
    "GET /ready",
    "GET /metrics",
    # Itself.
    "POST /graphql",
}


@pytest.fixture(scope="module")
def schema() -> GraphQLSchema:
    return build_schema((Path(__file__).parents[3] / "graph_schema" / "schema.graphql").read_text(encoding="utf-8"))


def has(schema: GraphQLSchema, name: str) -> bool:
    kind, _, field = name.partition(".")
    found = schema.type_map.get(kind)
    return isinstance(found, GraphQLObjectType) and field in found.fields


def test_every_route_has_a_counterpart(deployment: Deployment, schema: GraphQLSchema) -> None:
    routes = {
        f"{method.upper()} {path}"
        for path, operations in deployment.app.openapi()["paths"].items()
        for method in operations
        if not path.startswith(("/v1/", "/mcp/"))  # protocols of others, with clients of their own
    }
    assert routes - COUNTERPARTS.keys() - WITHOUT == set(), "Routes without a counterpart in GraphQL"
    assert COUNTERPARTS.keys() - routes == set(), "Counterparts of routes that are gone"
    for route, names in COUNTERPARTS.items():
        for name in names.split():
            assert has(schema, name), f"{route} has no {name}"


def test_every_verb_of_every_type_has_its_field(schema: GraphQLSchema) -> None:
    for key, kind in read_entity_types().items():
        one, many = one_and_many(key)
        wanted = {
            Verb.READ: [f"Query.{one}", f"Query.{many}"],
            Verb.CREATE: [f"Mutation.create{capital(one)}"],
            Verb.UPDATE: [f"Mutation.update{capital(one)}"],
            Verb.DELETE: [f"Mutation.delete{capital(one)}"],
        }
        for verb in kind.verbs:
            for name in wanted[verb]:
                assert has(schema, name), f"{key}: {verb.value} has no {name}"


def test_every_property_that_rest_shows_has_its_field(schema: GraphQLSchema) -> None:
    for kind in read_entity_types().values():
        for definition in kind.visible_properties:
            if kind.key != "entity-types":
                assert has(schema, f"{kind.label}.{definition.name}"), f"{kind.label} has no {definition.name}"


def test_hidden_properties_have_none(schema: GraphQLSchema) -> None:
    for kind in read_entity_types().values():
        for definition in kind.properties:
            if definition.hidden:
                assert not has(schema, f"{kind.label}.{definition.name}")
