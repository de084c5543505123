"""Into a corpus: `POST …/knowledge/{idOrKey}/files` (multipart, streamed) and `/texts`. 202 with one entry a file."""

from __future__ import annotations

from fastapi import APIRouter, Request, status
from pydantic import Field

from matrix.api.auth.principal import OrgScope
from matrix.api.entities import Entities
from matrix.api.rest.bodies import Body
from matrix.api.rest.document_json import receipts_json
from matrix.api.rest.link_scope import LinkOrOrgScope
from matrix.api.rest.multipart import file_parts
from matrix.api.rest.shapes.answers import OPTIONAL, UNCOUNTED, answers
from matrix.api.rest.shapes.documents import UploadReceipt
from matrix.domain.access import Scope
from matrix.domain.documents import Receipt
from matrix.domain.entities import Verb
from matrix.errors import InvalidInput, MatrixError, TooLarge
from matrix.ingest.service import KnowledgeIngestService
from matrix.settings import LimitSettings

Json = dict[str, object]
REFUSALS_NAMED = 1000  # of files beyond those that a request takes

FILES = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["file"],
                "properties": {
                    "file": {
                        "type": "array",
                        "items": {"type": "string", "format": "binary"},
                        "description": "Once for each file; the file name may hold a path, which is kept.",
                    }
                },
            }
        }
    },
}


class TextBody(Body):
    title: str = Field(min_length=1, max_length=300)
    text: str = Field(min_length=1)


def uploads_router(ingest: KnowledgeIngestService, entities: Entities, limits: LimitSettings) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}/knowledge/{id_or_key}", tags=["upload"], responses=UNCOUNTED)

    @router.post(
        "/files",
        status_code=status.HTTP_202_ACCEPTED,
        responses=answers(UploadReceipt, 413, status=202),
        openapi_extra={**OPTIONAL, "requestBody": FILES},
    )
    async def upload_files(id_or_key: str, request: Request, scope: LinkOrOrgScope) -> Json:
        """Each file is one entry of the answer; one that is refused says why and the others go on."""
        knowledge = await writable(scope, id_or_key)
        receipts: list[Receipt] = []
        try:
            async for part in file_parts(request, limits.upload_request_bytes):
                if len(receipts) < limits.upload_files:
                    receipts.append(await ingest.receive(scope, knowledge, part.name, part.content))
                elif len(receipts) < limits.upload_files + REFUSALS_NAMED:
                    receipts.append(_refused(part.name, _too_many(limits.upload_files)))
                else:
                    raise _far_too_many(len(receipts))
        except (InvalidInput, TooLarge) as damage:
            if not receipts:
                raise
            receipts.append(_refused("", damage))  # what was taken before it stays taken, and is told
        if not receipts:
            raise InvalidInput("The request holds no file.", field="file", advice="Name each part «file».")
        return receipts_json(receipts)

    @router.post("/texts", status_code=status.HTTP_202_ACCEPTED, responses=answers(UploadReceipt, status=202))
    async def upload_text(id_or_key: str, body: TextBody, scope: OrgScope) -> Json:
        knowledge = await writable(scope, id_or_key)
        return receipts_json([await ingest.receive_text(scope, knowledge, body.title, body.text)])

    async def writable(scope: Scope, id_or_key: str) -> str:
        """The id of a corpus that the caller may add to."""
        return (await entities.get_for(scope, "knowledge", id_or_key, Verb.UPDATE)).id

    return router


def _too_many(most: int) -> TooLarge:
    return TooLarge(
        f"A request takes {most} files; this one came after them and was not taken.", advice="Send it in another."
    )


def _far_too_many(told: int) -> TooLarge:
    return TooLarge(f"More than {told} files: the rest was not read.", advice="Send the rest in other requests.")


def _refused(name: str, error: MatrixError) -> Receipt:
    return Receipt(name, error=error.message, code=error.code, advice=error.advice)
