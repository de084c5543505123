"""The demo that the first start makes: a small corpus, an agent, and one question with its cited answer.

That it is still to be made is noted in the data folder, so that a first start that was cut off is made good by the
next one; and it never comes beside other data.
"""

from __future__ import annotations

import asyncio
from importlib.resources import as_file, files
from pathlib import Path

from rich.console import Console

from matrix.cli.ask import answer_text
from matrix.cli.client import MatrixClient, Target, connected
from matrix.cli.ingest import ensure_knowledge, outcome_line, until_ended
from matrix.cli.private_file import write_private
from matrix.cli.run_file import Run
from matrix.errors import MatrixError

KNOWLEDGE = "demo"
AGENT = "guide"
QUESTION = "Who signs the calibration certificates?"
NOTE = "demo.pending"


def intend_demo(data_dir: Path, *, wanted: bool) -> None:
    """Notes, before the first start of a folder, that a demo is to be made. Errors: CannotWrite."""
    note = data_dir / NOTE
    if not wanted:
        note.unlink(missing_ok=True)
    elif not (data_dir / "secrets.json").exists():
        write_private(note, "The next start makes the demo corpus.")


async def make_demo(data_dir: Path, run: Run, console: Console) -> None:
    """Makes the demo where it is noted, off the event loop. A failure is said; Matrix runs on."""
    note = data_dir / NOTE
    if not note.exists():
        return
    try:
        await asyncio.to_thread(_make, run, console)
    except MatrixError as error:
        console.print(f"The demo could not be made: {error.message} {error.advice}", markup=False)
        console.print("The next start tries again; `matrix up --no-demo` does not.\n", markup=False)
    else:
        note.unlink(missing_ok=True)


def _make(run: Run, console: Console) -> None:
    with connected(Target(run.url, run.api_key, run.org)) as client:
        if _has_other_data(client):
            return
        console.print("Making the demo corpus …", markup=False)
        ensure_knowledge(client, KNOWLEDGE, "Lindholt Cold Chain (demo)")
        with as_file(files("matrix.cli").joinpath("demo")) as folder:
            for edition in ("first", "then"):
                _upload(client, folder / edition)
        _ensure_agent(client)
        console.print(f"Asked «{QUESTION}», the agent «{AGENT}» answers:\n", markup=False)
        console.print(answer_text(client.post(f"/agents/{AGENT}/chat", {"message": QUESTION})), markup=False)
        console.print(f'\nAsk it yourself: matrix ask {AGENT} "What does E-417 mean?"\n', markup=False)


def _has_other_data(client: MatrixClient) -> bool:
    corpora = {entity["key"] for entity in client.get("/knowledge")["items"]}
    agents = {entity["key"] for entity in client.get("/agents")["items"]}
    return not (corpora <= {KNOWLEDGE} and agents <= {AGENT})


def _upload(client: MatrixClient, folder: Path) -> None:
    """Uploads a folder and waits until all of it can be found. Errors: MatrixError names a document that failed."""
    receipts = [
        receipt
        for file in sorted(folder.iterdir())
        for receipt in client.upload(f"/knowledge/{KNOWLEDGE}/files", file.name, file)["documents"]
    ]
    for document in until_ended(client, receipts):
        if document["status"] != "COMPLETED":
            raise MatrixError(outcome_line(document), code="demo_failed")


def _ensure_agent(client: MatrixClient) -> None:
    try:
        client.get(f"/agents/{AGENT}")
    except MatrixError as error:
        if error.code != "not_found":
            raise
        client.post("/agents", {"properties": {"key": AGENT, "name": "Guide"}})
    client.put(f"/agents/{AGENT}/knowledge/{KNOWLEDGE}")
