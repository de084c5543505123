"""Documents: in by a signed link or as text, changed, processed again, shared, and out with a receipt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import strawberry

from matrix.api.document_changes import audience_members, change_document
from matrix.api.graphql.context import GraphContext, Info
from matrix.api.graphql.types.documents import Deletion, DeletionReceipt, DocumentAudience, Outcome, UploadReceipt
from matrix.api.graphql.types.dynamic_field import Argument, dynamic_field, field
from matrix.api.graphql.types.inputs import given_properties, input_type
from matrix.api.graphql.types.objects import ObjectTypes
from matrix.api.graphql.types.relations import signed_link
from matrix.api.graphql.types.retrieval import SignedLink
from matrix.domain import documents
from matrix.domain.entities import Entity, Verb


@strawberry.type
class ReceiptQuery:
    @field(graphql_type=DeletionReceipt | None, description="The receipt of a deletion.")
    async def receipt(self, info: Info, id: strawberry.ID) -> documents.DeletionReceipt:
        return await info.context.services.stores.documents.receipt(info.context.scope, id)


@strawberry.type
class UploadMutations:
    @field(
        description="A link to POST files to, as multipart with one part named `file` each; it works for ten minutes."
    )
    async def create_upload(self, info: Info, knowledge: str) -> SignedLink:
        corpus = await editable(info.context, "knowledge", knowledge)
        return signed_link(info, "POST", f"/api/orgs/{info.context.slug}/knowledge/{corpus}/files")

    @field(graphql_type=UploadReceipt, description="Adds a text or Markdown, named after its title.")
    async def add_text(self, info: Info, knowledge: str, title: str, text: str) -> documents.Receipt:
        context = info.context
        corpus = await editable(context, "knowledge", knowledge)
        return await context.services.ingest.receive_text(context.scope, corpus, title, text)


@strawberry.type
class DeletionMutations:
    @field(graphql_type=Deletion, description="Hidden when this answers; the receipt proves the purge.")
    async def delete_document(self, info: Info, id: strawberry.ID, dry_run: bool = False) -> Outcome:
        context = info.context
        await _deletable(context, "documents", id)
        if dry_run:
            return await context.services.stores.documents.preview_deletion(context.scope, None, id)
        return await context.services.ingest.delete_document(context.scope, id)

    @field(graphql_type=Deletion, description="A corpus with all that is in it.")
    async def delete_knowledge(self, info: Info, key: str, dry_run: bool = False) -> Outcome:
        context = info.context
        corpus = await _deletable(context, "knowledge", key)
        if dry_run:
            return await context.services.stores.documents.preview_deletion(context.scope, corpus, None)
        return await context.services.ingest.delete_knowledge(context.scope, corpus)


@strawberry.type
class ProcessingMutations:
    @field(graphql_type=UploadReceipt, description="Processes the stored original again, after a failure.")
    async def retry_document(self, info: Info, id: strawberry.ID) -> documents.Receipt:
        return await _again(info.context, id)

    @field(
        graphql_type=UploadReceipt,
        description="Processes the stored original with the corpus's settings of now; what is served goes on.",
    )
    async def reprocess_document(self, info: Info, id: strawberry.ID) -> documents.Receipt:
        return await _again(info.context, id)


def document_fields(objects: ObjectTypes) -> dict[str, Any]:
    """Those about one document, by name."""
    document, kind = objects.objects["documents"], objects.types["documents"]
    changes = Argument("input", input_type(objects, kind, Verb.UPDATE))
    several = list[strawberry.ID] | None
    return {
        "update_document": dynamic_field(
            _update, document, [ID, changes], "Renames, tags or describes it; nothing is embedded again."
        ),
        "rename_document": dynamic_field(
            _rename, document, [ID, Argument("name", str)], "In short for updateDocument."
        ),
        "cancel_document": dynamic_field(
            _cancel, document, [ID], "Stops the work on it; what it served before goes on being served."
        ),
        "set_document_audience": dynamic_field(
            _share,
            DocumentAudience,
            [ID, Argument("everyone", bool, False), Argument("teams", several, None), Argument("users", several, None)],
            "Shows it to these teams and people alone, or to everyone in the organization; acts at once.",
        ),
    }


ID = Argument("id", strawberry.ID)


async def _update(_: object, info: Info, id: str, input: Any) -> Entity:
    return await _change(info.context, id, given_properties(input))


async def _rename(_: object, info: Info, id: str, name: str) -> Entity:
    return await _change(info.context, id, {"name": name})


async def _cancel(_: object, info: Info, id: str) -> Entity:
    await editable(info.context, "documents", id)
    await info.context.services.stores.documents.cancel(info.context.scope, id)
    return await _document(info.context, id)


async def _share(
    _: object,
    info: Info,
    id: str,
    everyone: bool,
    teams: list[str] | None,
    users: list[str] | None,
) -> DocumentAudience:
    context = info.context
    members = audience_members(context.scope, everyone, teams or (), users or ())
    await editable(context, "documents", id)
    audience = await context.services.stores.documents.set_audience(context.scope, id, members)
    return DocumentAudience(document_id=strawberry.ID(id), audience_id=strawberry.ID(audience))


async def _change(context: GraphContext, document_id: str, properties: Mapping[str, object]) -> Entity:
    documents = context.services.stores.documents
    return await change_document(documents, context.entities, context.scope, document_id, properties)


async def _again(context: GraphContext, document_id: str) -> documents.Receipt:
    await editable(context, "documents", document_id)
    return await context.services.ingest.again(context.scope, document_id)


async def _document(context: GraphContext, document_id: str) -> Entity:
    return await context.entities.get(context.scope, "documents", document_id)


async def editable(context: GraphContext, collection: str, id_or_key: str) -> str:
    """The id of what the caller may change. Errors: NotFound, NotAllowed."""
    return (await context.entities.get_for(context.scope, collection, id_or_key, Verb.UPDATE)).id


async def _deletable(context: GraphContext, collection: str, id_or_key: str) -> str:
    return (await context.entities.get_for(context.scope, collection, id_or_key, Verb.DELETE)).id
