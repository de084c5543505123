"""`matrix ingest`: files, folders, archives, or text from standard input, into a corpus."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Annotated, TypeVar

import typer

from matrix.cli.client import UNREACHABLE, MatrixClient, connected
from matrix.cli.client import Json as Answer
from matrix.cli.console import Steps, err, explained, out, print_json
from matrix.cli.options import Json
from matrix.cli.sources import Source, find_sources
from matrix.errors import InvalidInput, MatrixError, TooManyRequests

T = TypeVar("T")

ENDED = ("COMPLETED", "FAILED", "CANCELLED", "REFUSED")
REFUSALS = ("too_large", "unsupported_type", "invalid_input", "conflict")
"""What concerns one file and leaves the others alone."""
POLL_SECONDS = 0.5
PATIENCE_SECONDS = 120
"""How long Matrix may not answer while we wait for it: it may be restarting."""


def ingest(
    sources: Annotated[
        list[str], typer.Argument(help="Files, folders, .zip or .tar archives; - reads text from standard input.")
    ],
    knowledge: Annotated[str, typer.Option("--knowledge", "-k", help="The key of the corpus.")],
    create: Annotated[bool, typer.Option("--create", help="Make the corpus if it is not there.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Return when all is processed; exit 1 if something failed.")
    ] = False,
    title: Annotated[str, typer.Option(help="The title of text from standard input.")] = "Pasted text",
    json: Json = False,
) -> None:
    """Put files into a corpus."""
    with explained(json), connected() as client, ExitStack() as opened:
        files = [file for source in sources if source != "-" for file in find_sources(source, opened)]
        if not files and "-" not in sources:
            raise InvalidInput("There is no file in what was named.", field="sources", advice="Name files or folders.")
        if create:
            _patiently(partial(ensure_knowledge, client, knowledge))
        else:
            _patiently(partial(_must_be_there, client, knowledge))
        receipts = list(_send_text(client, knowledge, title)) if "-" in sources else []
        receipts += _send_files(client, knowledge, files)
        documents = (
            until_ended(client, receipts) if wait else [_patiently(partial(_look, client, one)) for one in receipts]
        )
    if json:
        print_json({"documents": documents})
    else:
        for document in documents:
            out.print(outcome_line(document), markup=False)
    if any(document["status"] in ENDED and document["status"] != "COMPLETED" for document in documents):
        raise typer.Exit(1)


def _must_be_there(client: MatrixClient, key: str) -> None:
    try:
        client.get(f"/knowledge/{key}")
    except MatrixError as error:
        if error.code != "not_found":
            raise
        raise MatrixError(error.message, code=error.code, advice="Check the key, or make it with --create.") from None


def ensure_knowledge(client: MatrixClient, key: str, name: str | None = None) -> None:
    """The corpus `key`, made if it is not there."""
    try:
        client.get(f"/knowledge/{key}")
    except MatrixError as error:
        if error.code != "not_found":
            raise
        with _unless_there():  # made by somebody else just now, or by a try of ours whose answer was lost
            client.post("/knowledge", {"properties": {"key": key, "name": name or key}})


@contextmanager
def _unless_there() -> Iterator[None]:
    try:
        yield
    except MatrixError as error:
        if error.code != "conflict":
            raise


def until_ended(client: MatrixClient, receipts: Sequence[Answer]) -> list[Answer]:
    """The documents, as `outcome_line` takes them, when the newest version of each is processed, failed or cancelled.

    Errors: MatrixError when Matrix does not answer for PATIENCE_SECONDS.
    """
    steps = Steps(counted=True)
    steps.begin("Processing", len(receipts))
    ended = []
    try:
        for receipt in receipts:
            ended.append(_patiently(partial(_end_of, client, receipt)))
            steps.advance(1)
    finally:
        steps.abandon()
    return ended


def outcome_line(document: Answer) -> str:
    """What became of a document, for a person."""
    status = document["status"]
    if status == "REFUSED":
        return f"{document['name']}: refused. {document['error']} {document.get('advice') or ''}"
    if status == "FAILED":
        return f"{document['name']}: FAILED. {document.get('errorReason') or ''} {document.get('errorAdvice') or ''}"
    passages = f", {document.get('chunkCount') or 0} passages" if status == "COMPLETED" else ""
    return "\n  ".join([f"{document['name']}: {status}{passages}", *(document.get("warnings") or [])])


def _send_text(client: MatrixClient, knowledge: str, title: str) -> Iterable[Answer]:
    documents: list[Answer] = client.post(f"/knowledge/{knowledge}/texts", {"title": title, "text": sys.stdin.read()})[
        "documents"
    ]
    return documents


def _send_files(client: MatrixClient, knowledge: str, files: Sequence[Source]) -> Iterator[Answer]:
    for number, source in enumerate(files, 1):
        err.print(f"Sending {source.name} ({number} of {len(files)})", markup=False)
        try:
            answer = _patiently(partial(client.upload, f"/knowledge/{knowledge}/files", source.name, source.file))
        except MatrixError as error:
            if error.code not in REFUSALS:
                raise
            yield {"name": source.name, "error": error.message, "code": error.code, "advice": error.advice}
        else:
            yield from answer["documents"]


def _end_of(client: MatrixClient, receipt: Answer) -> Answer:
    document = _look(client, receipt)
    while document["status"] not in ENDED:
        time.sleep(POLL_SECONDS)
        document = _look(client, receipt)
    return document


def _look(client: MatrixClient, receipt: Answer) -> Answer:
    if receipt.get("error"):
        return {**receipt, "status": "REFUSED"}
    document = client.get(f"/documents/{receipt['id']}")
    return {"id": document["id"], **document["properties"]}


def _patiently(work: Callable[[], T]) -> T:
    """Tries again while Matrix restarts or asks to wait. Sending a file twice is harmless: the same bytes are known."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return work()
        except MatrixError as error:
            passing = error.code in (UNREACHABLE, "database_unavailable", "storage_unavailable")
            if not (passing or isinstance(error, TooManyRequests)) or time.monotonic() > until:
                raise
            time.sleep(error.retry_after if isinstance(error, TooManyRequests) else 2 * POLL_SECONDS)
