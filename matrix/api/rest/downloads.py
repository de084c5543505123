"""`GET …/documents/{id}/download`: with credentials a link for ten minutes, with such a link the original."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

from matrix.api.auth.principal import Access, authenticate
from matrix.api.rest.link_scope import Expires, Holder, Signature, holder_of, principal_behind
from matrix.api.rest.shapes.answers import OPTIONAL, UNCOUNTED, Responses, answers
from matrix.api.rest.shapes.documents import DownloadLink
from matrix.api.signed_links import LinkSigner
from matrix.domain.documents import Original
from matrix.errors import NotFound
from matrix.ports import BlobStore, DocumentStore

ORIGINAL: Responses = {
    200: {"description": "The original, of the type that was found when it came.", "content": {"*/*": {"schema": {}}}}
}


def downloads_router(documents: DocumentStore, blobs: BlobStore, signer: LinkSigner) -> APIRouter:
    router = APIRouter(prefix="/api/orgs/{slug}", tags=["documents"], responses=UNCOUNTED)

    @router.get(
        "/documents/{document_id}/download",
        name="download_document",
        response_class=Response,
        response_model=None,
        responses=ORIGINAL | answers(DownloadLink, status=307),
        openapi_extra=OPTIONAL,
    )
    async def download(
        slug: str,
        document_id: str,
        request: Request,
        access: Access,
        holder: Holder = None,
        expires: Expires = 0,
        signature: Signature = None,
    ) -> Response:
        """With credentials: a link that works for ten minutes. With such a link: the original."""
        if holder is None or signature is None:
            principal = await authenticate(access, request)
            scope = await access.stores.access.scope_for(principal, slug)
            await documents.original(scope, document_id)
            link = signer.sign("GET", request.url.path, holder_of(principal))
            body = {"url": link.url, "expires": link.expires}
            return JSONResponse(body, status_code=307, headers={"Location": link.url})
        signer.check("GET", request.url.path, holder, expires, signature)
        scope = await access.stores.access.scope_for(await principal_behind(access, holder), slug)
        original = await documents.original(scope, document_id)
        if not await blobs.exists(original.blob_key):  # once headers are sent, nothing can be refused any more
            raise NotFound("The original is gone.", code="original_gone", advice="Upload the document again.")
        return _attachment(original, blobs)

    return router


def _attachment(original: Original, blobs: BlobStore) -> Response:
    name = original.name.rpartition("/")[2]
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}",
        "Content-Length": str(original.size),
    }
    return StreamingResponse(blobs.stream(original.blob_key), media_type=original.media_type, headers=headers)
