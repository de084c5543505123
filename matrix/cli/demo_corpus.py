"""The demo that the first start makes: a small corpus, an agent, and one question with its cited answer."""

from __future__ import annotations

import asyncio
from importlib.resources import as_file, files
from pathlib import Path

import httpx2
from rich.console import Console

from matrix.cli.ask import answer_text
from matrix.cli.client import MatrixClient, Target
from matrix.cli.data_folder import Run
from matrix.cli.ingest import ensure_knowledge, until_ended

KNOWLEDGE = "demo"
AGENT = "guide"
QUESTION = "Who signs the calibration certificates?"


async def load_demo(run: Run, console: Console) -> None:
    """Loads the demo into a running Matrix and asks its agent one question, off the event loop."""
    await asyncio.to_thread(_load, run, console)


def _load(run: Run, console: Console) -> None:
    where = Target(run.url, run.api_key, run.org)
    headers = {"Authorization": f"Bearer {run.api_key}"}
    with httpx2.Client(headers=headers, timeout=httpx2.Timeout(150, connect=5), trust_env=False) as http:
        client = MatrixClient(where, http)
        console.print("Making the demo corpus …", markup=False)
        ensure_knowledge(client, KNOWLEDGE, "Lindholt Cold Chain (demo)")
        with as_file(files("matrix.cli").joinpath("demo")) as folder:
            for edition in ("first", "then"):
                _upload(client, folder / edition)
        client.post("/agents", {"properties": {"key": AGENT, "name": "Guide", "knowledge": [KNOWLEDGE]}})
        console.print(f"Asked «{QUESTION}», the agent «{AGENT}» answers:\n", markup=False)
        console.print(answer_text(client.post(f"/agents/{AGENT}/chat", {"message": QUESTION})), markup=False)
        console.print(f'\nAsk it yourself: matrix ask {AGENT} "What does E-417 mean?"\n', markup=False)


def _upload(client: MatrixClient, folder: Path) -> None:
    """Uploads a folder and waits until all of it can be found."""
    receipts = [
        receipt
        for file in sorted(folder.iterdir())
        for receipt in client.upload(f"/knowledge/{KNOWLEDGE}/files", file.name, file)["documents"]
    ]
    for receipt in receipts:
        until_ended(client, receipt["id"])
