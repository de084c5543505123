"""`matrix knowledge`: corpora, listed, made and deleted."""

from __future__ import annotations

from typing import Annotated

import typer

from matrix.cli.client import connected
from matrix.cli.console import explained, out, print_json, tell_receipt
from matrix.cli.options import Json

knowledge_app = typer.Typer(help="List, make and delete corpora.", no_args_is_help=True)


@knowledge_app.command("list")
def list_knowledge(json: Json = False) -> None:
    """List the corpora."""
    with explained(json), connected() as client:
        found = list(client.get_all("/knowledge"))
    if json:
        print_json({"items": found})
        return
    for entity in found:
        properties = entity["properties"]
        counts = f"{properties.get('documentCount', 0)} documents, {properties.get('chunkCount', 0)} passages"
        out.print(f"{entity['key']}: {properties['name']} ({counts})", markup=False)


@knowledge_app.command("create")
def create_knowledge(
    key: Annotated[str, typer.Argument(help="Small letters, digits and hyphens.")],
    name: Annotated[str | None, typer.Option(help="What people call it; the key by default.")] = None,
    description: Annotated[str | None, typer.Option(help="What is in it.")] = None,
    json: Json = False,
) -> None:
    """Make a corpus."""
    properties = {"key": key, "name": name or key, **({"description": description} if description else {})}
    with explained(json), connected() as client:
        entity = client.post("/knowledge", {"properties": properties})
    if json:
        print_json(entity)
    else:
        out.print(f"Made {entity['key']} ({entity['id']}).", markup=False)


@knowledge_app.command("delete")
def delete_knowledge(
    key: Annotated[str, typer.Argument(help="The key of the corpus.")],
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    json: Json = False,
) -> None:
    """Delete a corpus with all its documents, after showing what goes."""
    with explained(json), connected() as client:
        if not yes:
            preview = client.delete(f"/knowledge/{key}", dryRun="true")
            what = f"{key} with {preview['documents']} documents and {preview['chunks']} passages"
            typer.confirm(f"Delete {what}?", abort=True, err=True)
        receipt = client.delete(f"/knowledge/{key}")
    tell_receipt(receipt, json)
