"""The FastAPI application: every router, the error table, the headers that all answers carry."""

from __future__ import annotations

from fastapi import Depends, FastAPI

from matrix import __version__
from matrix.api.auth.counted import count_by_method, count_chat, count_read
from matrix.api.auth.services import access_services, link_key
from matrix.api.body_limit import limit_bodies
from matrix.api.departures import end_quietly
from matrix.api.described import DescribedApi
from matrix.api.docs_page import add_docs_page
from matrix.api.entities import Entities
from matrix.api.errors_table import answer_with_problems
from matrix.api.graphql.router import graphql_router
from matrix.api.headers import add_security_headers
from matrix.api.rest.agents import agents_router
from matrix.api.rest.auth_routes import auth_router
from matrix.api.rest.chat import chat_router
from matrix.api.rest.collections import collections_router
from matrix.api.rest.documents import documents_router
from matrix.api.rest.downloads import downloads_router
from matrix.api.rest.entity_types import entity_types_router
from matrix.api.rest.health import health_router
from matrix.api.rest.messages import messages_router
from matrix.api.rest.model_providers import model_providers_router
from matrix.api.rest.organization_routes import invitations_router, organizations_router
from matrix.api.rest.people_routes import api_keys_router, users_router
from matrix.api.rest.search import search_router
from matrix.api.rest.uploads import uploads_router
from matrix.api.services import Services
from matrix.api.signed_links import LinkSigner
from matrix.api.value_rules import rules_with


def create_application(services: Services) -> FastAPI:
    """The application over these services. Routes of single collections stand before the generic ones."""
    app = DescribedApi(title="Matrix", version=__version__, docs_url=None, redoc_url=None)
    access = access_services(services.settings, services.stores.access, services.passwords)
    app.state.access = access
    answer_with_problems(app)
    limit_bodies(app, services.settings.limits.text_characters)
    add_security_headers(app)
    end_quietly(app)
    add_docs_page(app)
    stores, limits = services.stores, services.settings.limits
    rules = rules_with(services.settings.allowed_private_hosts)
    entities = Entities(stores.types, stores.entities, services.secrets.encrypt, rules)
    app.state.links = signer = LinkSigner(link_key(services.settings))
    # Routes are tried in this order, so the one that is asked most stands first. Its POST changes nothing: a read.
    app.include_router(search_router(stores.agents, services.search), dependencies=[Depends(count_read)])
    for router in (
        health_router(services.check_database),
        auth_router(access),
        organizations_router(access),
        invitations_router(access),
        users_router(access),
        api_keys_router(access),
        uploads_router(services.ingest, entities, limits),
        downloads_router(stores.documents, services.blobs, signer),
    ):
        app.include_router(router)
    app.include_router(chat_router(services), dependencies=[Depends(count_chat)])
    for router in (
        entity_types_router(stores.types, entities),
        documents_router(services.ingest, stores.documents, entities),
        agents_router(stores.agents, entities),
        model_providers_router(services.models, entities),
        messages_router(entities, stores.sessions),
        collections_router(entities),
    ):
        app.include_router(router, dependencies=[Depends(count_by_method)])
    app.include_router(graphql_router(services, entities, access))
    return app
