"""`matrix ingest`: files, folders, or text from standard input, into a corpus."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from matrix.cli.client import Json as Answer
from matrix.cli.client import MatrixClient, connected
from matrix.cli.console import err, explained, out, print_json
from matrix.cli.options import Json
from matrix.errors import InvalidInput, MatrixError

ENDED = ("COMPLETED", "FAILED", "CANCELLED")
POLL_SECONDS = 0.5


def ingest(
    sources: Annotated[list[str], typer.Argument(help="Files or folders; - reads text from standard input.")],
    knowledge: Annotated[str, typer.Option("--knowledge", "-k", help="The key of the corpus.")],
    create: Annotated[bool, typer.Option("--create", help="Make the corpus if it is not there.")] = False,
    wait: Annotated[
        bool, typer.Option("--wait", help="Return when all is processed; exit 1 if something failed.")
    ] = False,
    title: Annotated[str, typer.Option(help="The title of text from standard input.")] = "Pasted text",
    json: Json = False,
) -> None:
    """Put files into a corpus."""
    with explained(json), connected() as client:
        if create:
            ensure_knowledge(client, knowledge)
        receipts = [receipt for source in sources for receipt in _send(client, knowledge, source, title)]
        documents = [_outcome(client, receipt, wait) for receipt in receipts]
    if json:
        print_json({"documents": documents})
    else:
        for document in documents:
            out.print(_line(document), markup=False)
    if any(document["status"] in ("FAILED", "CANCELLED", "REFUSED") for document in documents):
        raise typer.Exit(1)


def ensure_knowledge(client: MatrixClient, key: str, name: str | None = None) -> None:
    """The corpus `key`, made if it is not there."""
    try:
        client.get(f"/knowledge/{key}")
    except MatrixError as error:
        if error.code != "not_found":
            raise
        client.post("/knowledge", {"properties": {"key": key, "name": name or key}})


def _send(client: MatrixClient, knowledge: str, source: str, title: str) -> Iterator[Answer]:
    if source == "-":
        yield from client.post(f"/knowledge/{knowledge}/texts", {"title": title, "text": sys.stdin.read()})["documents"]
        return
    for file, name in _files(Path(source)):
        err.print(f"Sending {name}", markup=False)
        yield from client.upload(f"/knowledge/{knowledge}/files", name, file)["documents"]


def _files(source: Path) -> Iterator[tuple[Path, str]]:
    """Each file with its name relative to what was given, so that two README.md never replace each other."""
    if source.is_file():
        yield source, source.name
        return
    if not source.is_dir():
        raise InvalidInput(f"There is no file or folder {source}.", field="sources")
    for file in sorted(source.rglob("*")):
        relative = file.relative_to(source)
        if file.is_file() and not any(part.startswith(".") for part in relative.parts):
            yield file, relative.as_posix()


def _outcome(client: MatrixClient, receipt: Answer, wait: bool) -> Answer:
    if receipt.get("error"):
        return {**receipt, "status": "REFUSED"}
    document = until_ended(client, receipt["id"]) if wait else client.get(f"/documents/{receipt['id']}")
    return {"id": document["id"], **document["properties"]}


def until_ended(client: MatrixClient, document_id: str) -> Answer:
    """The document when its newest version is processed, failed or cancelled."""
    document = client.get(f"/documents/{document_id}")
    while document["properties"]["status"] not in ENDED:
        time.sleep(POLL_SECONDS)
        document = client.get(f"/documents/{document_id}")
    return document


def _line(document: Answer) -> str:
    if document["status"] == "REFUSED":
        return f"{document['name']}: refused. {document['error']} {document.get('advice') or ''}"
    line = f"{document['name']}: {document['status']}"
    if document["status"] == "FAILED":
        return f"{line}. {document.get('errorReason') or ''} {document.get('errorAdvice') or ''}"
    if document["status"] == "COMPLETED":
        line += f", {document.get('chunkCount') or 0} passages"
    return "\n  ".join([line, *(document.get("warnings") or [])])
