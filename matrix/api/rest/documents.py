"""What can be done with documents beside reading them: change, process again, cancel, share, delete."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response, status
from pydantic import StrictBool

from matrix.api import version_pages
from matrix.api.auth.principal import OrgScope
from matrix.api.document_changes import audience_members, change_document
from matrix.api.entities import LONGEST_PAGE, PAGE, Entities
from matrix.api.rest.bodies import Body
from matrix.api.rest.collections import EntityBody
from matrix.api.rest.document_json import preview_json, receipt_json, upload_json, version_json
from matrix.api.rest.entity_json import entity_json
from matrix.api.rest.shapes import documents as shapes
from matrix.api.rest.shapes.answers import MEMBER, answers
from matrix.api.rest.shapes.entities import Entity
from matrix.domain.access import Scope
from matrix.domain.entities import Verb
from matrix.ingest.service import KnowledgeIngestService
from matrix.ports import DocumentStore

Json = dict[str, object]
ACCEPTED = status.HTTP_202_ACCEPTED
DryRun = Annotated[bool, Query(alias="dryRun", description="Only say what would go.")]


class AudienceBody(Body):
    """Who may see a document: these teams and people, or with `everyone` the whole organization."""

    everyone: StrictBool = False
    teams: tuple[str, ...] = ()
    users: tuple[str, ...] = ()


def documents_router(ingest: KnowledgeIngestService, documents: DocumentStore, entities: Entities) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}", tags=["documents"], responses=MEMBER)
    begun = answers(shapes.UploadEntry, 409, status=202)
    deleted = answers(shapes.DeletionReceipt, 409, status=202) | answers(shapes.DeletionPreview)

    @router.patch("/documents/{document_id}", name="change_document", responses=answers(Entity, 409))
    async def patch_document(slug: str, document_id: str, body: EntityBody, scope: OrgScope) -> Json:
        """Renames or tags a document, or changes the organization's own fields; nothing is embedded again."""
        return entity_json(await change_document(documents, entities, scope, document_id, body.properties), slug)

    @router.post("/documents/{document_id}/retry", name="retry_document", status_code=ACCEPTED, responses=begun)
    async def retry(document_id: str, scope: OrgScope) -> Json:
        """Processes the stored original again, after a failure or a cancellation."""
        await editable(scope, document_id)
        return upload_json(await ingest.again(scope, document_id))

    @router.post("/documents/{document_id}/reprocess", name="reprocess_document", status_code=ACCEPTED, responses=begun)
    async def reprocess(document_id: str, scope: OrgScope) -> Json:
        """Processes the stored original with the corpus's settings of now; what is served goes on being served."""
        await editable(scope, document_id)
        return upload_json(await ingest.again(scope, document_id))

    @router.post(
        "/documents/{document_id}/cancel",
        name="cancel_document",
        responses=answers(shapes.DocumentState, 409),
    )
    async def cancel(document_id: str, scope: OrgScope) -> Json:
        await editable(scope, document_id)
        return {"id": document_id, "status": (await documents.cancel(scope, document_id)).value}

    @router.put(
        "/documents/{document_id}/audience", name="share_document", responses=answers(shapes.DocumentAudience, 409)
    )
    async def share(document_id: str, body: AudienceBody, scope: OrgScope) -> Json:
        """Acts at once, on searches that run too."""
        await editable(scope, document_id)
        members = audience_members(scope, body.everyone, body.teams, body.users)
        return {"audienceId": await documents.set_audience(scope, document_id, members)}

    @router.get(
        "/documents/{document_id}/versions",
        name="list_document_versions",
        responses=answers(shapes.DocumentVersionList),
    )
    async def list_versions(
        document_id: str,
        scope: OrgScope,
        limit: Annotated[int, Query(ge=1, le=LONGEST_PAGE)] = PAGE,
        cursor: str | None = None,
    ) -> Json:
        """Newest first; `serving` is the one that searches find."""
        document = await entities.get(scope, "documents", document_id)
        found = await documents.versions(scope, [document.id], limit + 1, version_pages.before(cursor))
        shown, following = version_pages.page(found.get(document.id, ()), limit)
        return {"items": [version_json(version) for version in shown], "nextCursor": following}

    @router.get("/documents/{document_id}/text", name="get_document_text", responses=answers(shapes.DocumentText))
    async def parsed_text(document_id: str, scope: OrgScope, version: str | None = None) -> Json:
        """The text as it was read, which `start` and `end` of passages and citations count in."""
        parsed = await ingest.parsed(scope, document_id, version)
        pages = [{"number": page.number, "start": page.start, "end": page.end} for page in parsed.pages]
        return {"text": parsed.text, "title": parsed.title, "language": parsed.language, "pages": pages}

    @router.delete("/documents/{document_id}", status_code=ACCEPTED, responses=deleted)
    async def delete_document(document_id: str, scope: OrgScope, response: Response, dry_run: DryRun = False) -> Json:
        """Hidden when this answers; the receipt proves the purge."""
        await deletable(scope, "documents", document_id)
        if dry_run:
            response.status_code = status.HTTP_200_OK
            return preview_json(await documents.preview_deletion(scope, None, document_id))
        return receipt_json(await ingest.delete_document(scope, document_id))

    @router.delete("/knowledge/{id_or_key}", status_code=ACCEPTED, responses=deleted)
    async def delete_knowledge(id_or_key: str, scope: OrgScope, response: Response, dry_run: DryRun = False) -> Json:
        knowledge = await deletable(scope, "knowledge", id_or_key)
        if dry_run:
            response.status_code = status.HTTP_200_OK
            return preview_json(await documents.preview_deletion(scope, knowledge, None))
        return receipt_json(await ingest.delete_knowledge(scope, knowledge))

    @router.get("/receipts/{receipt_id}", name="get_receipt", responses=answers(shapes.DeletionReceipt))
    async def get_receipt(receipt_id: str, scope: OrgScope) -> Json:
        return receipt_json(await documents.receipt(scope, receipt_id))

    async def editable(scope: Scope, document_id: str) -> None:
        await entities.get_for(scope, "documents", document_id, Verb.UPDATE)

    async def deletable(scope: Scope, collection: str, id_or_key: str) -> str:
        return (await entities.get_for(scope, collection, id_or_key, Verb.DELETE)).id

    return router
