"""`matrix make-demo`, which `up` runs at its first start: a small corpus, an agent, and one question with its cited
answer.

That it is still to be made is noted in the data folder, so that a first start that was cut off is made good by the
next one; and it never comes beside other data.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from matrix.cli.ask import answer_text
from matrix.cli.client import MatrixClient, Target, connected
from matrix.cli.console import explained, out
from matrix.cli.ingest import ensure_knowledge, outcome_line, until_ended
from matrix.cli.options import DataDir, settings_in
from matrix.cli.private_file import write_private
from matrix.cli.run_file import read_run
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


def is_demo_intended(data_dir: Path) -> bool:
    return (data_dir / NOTE).exists()


def make_demo(data_dir: DataDir = None) -> None:
    """Make the demo in the Matrix that runs in the data folder."""
    with explained():
        folder = settings_in(data_dir).data_dir
        run = read_run(folder)
        if run is None:
            raise MatrixError("Matrix does not run here.", advice="Start it with `matrix up`.")
        try:
            with connected(Target(run.url, run.api_key, run.org)) as client:
                if not _has_other_data(client):
                    _make(client)
        except MatrixError as error:
            raise MatrixError(
                f"The demo could not be made. {error.message}",
                code=error.code,
                advice=f"{error.advice} The next start tries again, or `matrix up --no-demo` does without.",
            ) from None
        (folder / NOTE).unlink(missing_ok=True)


def _make(client: MatrixClient) -> None:
    out.print("Making the demo corpus …", markup=False)
    ensure_knowledge(client, KNOWLEDGE, "Lindholt Cold Chain (demo)")
    with as_file(files("matrix.cli").joinpath("demo")) as folder:
        for edition in ("first", "then"):
            _upload(client, folder / edition)
    _ensure_agent(client)
    out.print(f"Asked «{QUESTION}», the agent «{AGENT}» answers:\n", markup=False)
    out.print(answer_text(client.post(f"/agents/{AGENT}/chat", {"message": QUESTION})), markup=False)
    out.print(f'\nAsk it yourself: matrix ask {AGENT} "What does E-417 mean?"\n', markup=False)


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
