"""`matrix documents`: what is in a corpus, read anew where reading failed, and deleted."""

from __future__ import annotations

from typing import Annotated

import typer

from matrix.cli.client import connected
from matrix.cli.console import explained, out, print_json, tell_receipt
from matrix.cli.ingest import outcome_line, until_ended
from matrix.cli.options import Json

documents_app = typer.Typer(help="List, retry and delete documents.", no_args_is_help=True)
DocumentId = Annotated[str, typer.Argument(help="The id of the document, as `documents list` shows it.")]


@documents_app.command("list")
def list_documents(
    knowledge: Annotated[str, typer.Argument(help="The key of the corpus.")],
    json: Json = False,
) -> None:
    """List the documents of a corpus: the id, the name and what became of it."""
    with explained(json), connected() as client:
        client.get(f"/knowledge/{knowledge}")  # a key that is wrong is told; the list would be empty
        found = list(client.get_all("/documents", knowledge=knowledge))
    if json:
        print_json({"items": found})
        return
    for entity in found:
        out.print(f"{entity['id']}  {outcome_line(entity['properties'])}", markup=False)


@documents_app.command("retry")
def retry_document(document: DocumentId, json: Json = False) -> None:
    """Read a document anew that failed or was cancelled, and wait for the end; exit 1 when it failed again."""
    with explained(json), connected() as client:
        receipt = client.post(f"/documents/{document}/retry", {})
        [ended] = until_ended(client, [receipt])
    if json:
        print_json(ended)
    else:
        out.print(outcome_line(ended), markup=False)
    if ended["status"] != "COMPLETED":
        raise typer.Exit(1)


@documents_app.command("delete")
def delete_document(
    document: DocumentId,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    json: Json = False,
) -> None:
    """Delete a document with all its versions, after showing what goes."""
    with explained(json), connected() as client:
        if not yes:
            name = client.get(f"/documents/{document}")["properties"]["name"]
            preview = client.delete(f"/documents/{document}", dryRun="true")
            what = f"{name} with {preview['versions']} versions and {preview['chunks']} passages"
            typer.confirm(f"Delete {what}?", abort=True, err=True)
        receipt = client.delete(f"/documents/{document}")
    tell_receipt(receipt, json)
