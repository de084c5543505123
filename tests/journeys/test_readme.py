"""The README, followed on the real thing: one command, a demo answer, two POSTs, the command line, a second start."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import psutil
import pytest

from tests.journeys.matrix_up import PATIENCE, MatrixUp, left_after, matrix_up, processes_of

MANUAL = Path(__file__).parents[2] / "matrix" / "cli" / "demo" / "first" / "service-manual.pdf"

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("journey")


@pytest.fixture(scope="module")
def up(folder: Path) -> Iterator[MatrixUp]:
    with matrix_up(folder) as started:
        started.until_said("Ask it yourself")
        yield started


@pytest.mark.feature("A6", "A10", "E1", "E4")
def test_the_first_start_answers_a_question_with_the_page_it_stands_on(up: MatrixUp) -> None:
    said = up.said()
    for step in ("Preparing the embedding model", "Starting Neo4j", "Starting API and worker", "Matrix is ready"):
        assert step in said
    answer = said.partition("answers:")[2]
    assert "Solvang" in answer
    assert "[1] service-manual.pdf, page 5:" in answer


@pytest.mark.feature("A4", "B1", "B3", "C1", "E4")
def test_two_posts_and_a_question(up: MatrixUp) -> None:
    with up.api() as api:
        assert api.post("/knowledge", json={"properties": {"key": "manuals", "name": "Manuals"}}).status_code == 201
        sent = api.post("/knowledge/manuals/files", files={"file": ("manual.pdf", MANUAL.read_bytes())})
        assert sent.status_code == 202
        _until_completed(api, sent.json()["documents"][0]["id"])
        reply = api.post("/knowledge/manuals/chat", json={"message": "Who signs the calibration certificates?"}).json()
    assert reply["answerable"] is True
    cited = reply["citations"][0]
    assert (cited["documentName"], cited["page"]) == ("manual.pdf", 5)
    assert "Solvang" in cited["quote"]


@pytest.mark.feature("A8", "B1")
def test_the_command_line(up: MatrixUp, tmp_path: Path) -> None:
    for part, words in (("north", "The north valve opens at 3 bar."), ("south", "The south valve opens at 7 bar.")):
        (tmp_path / "docs" / part).mkdir(parents=True)
        (tmp_path / "docs" / part / "README.md").write_text(f"# {part.title()}\n\n{words}\n")
    (tmp_path / "docs" / "empty.txt").write_text("")
    documents = up.cli_json("ingest", str(tmp_path / "docs"), "-k", "valves", "--create", "--wait", code=1)["documents"]
    assert {document["name"]: document["status"] for document in documents} == {
        "empty.txt": "REFUSED",
        "north/README.md": "COMPLETED",
        "south/README.md": "COMPLETED",
    }
    text = "The west valve is made of brass."
    up.cli("ingest", "-", "-k", "valves", "--title", "West", "--wait", stdin=text)
    hits = up.cli_json("search", "valves", "At which pressure does the south valve open?", "--top-k", "2")["hits"]
    assert hits[0]["documentName"] == "south/README.md"
    up.cli("agents", "create", "plumber", "--knowledge", "valves")
    answer = up.cli("ask", "plumber", "At which pressure does the south valve open?")
    assert "7 bar" in answer
    assert "[1] south/README.md" in answer
    assert "valves" in up.cli("knowledge", "list")
    listed = up.cli("documents", "list", "valves")
    assert [document["id"] in listed and document["name"] in listed for document in documents if document["id"]]
    [north] = [document for document in documents if document["name"].startswith("north")]
    assert "COMPLETED" in up.cli("documents", "retry", north["id"])
    assert "Deleted" in up.cli("documents", "delete", north["id"], "--yes")
    assert north["id"] not in up.cli("documents", "list", "valves")
    assert "There is no knowledge" in up.cli("documents", "list", "nothing", code=1)
    assert "There is no knowledge" in up.cli("search", "nothing", "x", code=1)
    assert up.cli_json("status")["ready"] is True
    assert all(finding["ok"] for finding in up.cli_json("doctor"))
    assert up.cli_json("migrate") == {"applied": []}


@pytest.mark.feature("A8")
def test_wrong_use_is_told_from_failure(up: MatrixUp) -> None:
    up.cli("search", "valves", code=2)
    up.cli("nonsense", code=2)
    up.cli("ingest", "/nowhere/at/all", "-k", "demo", code=2)
    assert "already" in up.cli("up", code=1)


@pytest.mark.feature("H4")
def test_health_and_readiness(up: MatrixUp) -> None:
    assert httpx2.get(f"{up.run['url']}/health", trust_env=False).json()["status"] == "ok"
    assert httpx2.get(f"{up.run['url']}/ready", trust_env=False).json() == {"status": "ready"}


@pytest.fixture(scope="module")
def external(up: MatrixUp) -> dict[str, str]:
    """Settings that name a server which was started apart: that of the first `up`."""
    neo4j = up.run["neo4j"]
    return {"NEO4J_URI": neo4j["bolt"], "NEO4J_USERNAME": neo4j["user"], "NEO4J_PASSWORD": neo4j["password"]}


@pytest.mark.feature("A6")
def test_an_external_database_makes_no_other_difference(external: dict[str, str], tmp_path: Path) -> None:
    with matrix_up(tmp_path / "other", **external) as other:
        other.until_said("Matrix is ready")
        assert set(other.parts()) == {"api", "worker"}
        assert "Solvang" in other.cli("ask", "guide", "Who signs the calibration certificates?")
        assert other.stop(signal.SIGTERM) == 0
        assert "Making the demo" not in other.said()  # there is other data
    assert left_after(tmp_path / "other") == []


@pytest.mark.feature("A6")
@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"NEO4J_PASSWORD": "wrong"}, "refuses the user name or password"),
        ({"NEO4J_URI": "bolt://127.0.0.1:1"}, "The database at bolt://127.0.0.1:1 does not answer"),
        ({"MATRIX_EMBEDDER__PROVIDER": "magic"}, "MATRIX_EMBEDDER__PROVIDER"),
        (
            {"GEMINI_API_KEY": "x", "MATRIX_EMBEDDER__PROVIDER": "gemini"},
            "This database is pinned to the embedder minilm",
        ),
    ],
)
def test_a_start_that_cannot_be_says_why(
    external: dict[str, str], tmp_path: Path, setting: dict[str, str], words: str
) -> None:
    (tmp_path / "other" / "data" / "models").mkdir(parents=True)  # nothing is prepared for what will not start
    with matrix_up(tmp_path / "other", **external | setting) as refused:
        assert refused.process.wait(PATIENCE) in (1, 2)
        assert words in refused.said()
        assert "Traceback" not in refused.said()
    assert left_after(tmp_path / "other") == []


@pytest.mark.feature("A6")
def test_ctrl_c_before_it_is_ready(external: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "other" / "data" / "models").mkdir(parents=True)
    with matrix_up(tmp_path / "other", **external) as early:
        early.until_said("Starting API")
        assert "is starting" in early.cli("status", code=1)
        assert early.stop() == 1
        assert "Stopped before it was ready" in early.said()
    assert left_after(tmp_path / "other") == []


@pytest.mark.feature("A6", "A8")
def test_detached_then_killed(external: dict[str, str], tmp_path: Path) -> None:
    """kill -9 of `up` leaves nothing, and nothing stands in the way of the next start."""
    (tmp_path / "other" / "data" / "models").mkdir(parents=True)
    with matrix_up(tmp_path / "other", "--detach", "--json", **external) as starter:
        assert starter.process.wait(PATIENCE) == 0
        run = json.loads("{" + starter.said().partition("{")[2])
        assert starter.cli_json("status")["pid"] == run["pid"]
        left = processes_of(tmp_path / "other")
        psutil.Process(run["pid"]).kill()
        assert psutil.wait_procs(left, timeout=30)[1] == []
        assert (tmp_path / "other" / "data" / "run.json").exists()
        assert "not running" in starter.cli("status", code=1)
        port = run["url"].rpartition(":")[2]
        assert starter.cli_json("up", "--detach", "--port", port)["url"] == run["url"]
        assert starter.cli_json("down") == {"stopped": True}
    assert left_after(tmp_path / "other") == []


@pytest.mark.feature("A6")
def test_a_second_start_keeps_the_data(up: MatrixUp, folder: Path) -> None:
    before = up.run
    assert up.stop() == 0
    assert processes_of(folder) == []
    assert not (folder / "data" / "run.json").exists()
    with matrix_up(folder) as again:
        again.until_said("Matrix is ready")
        assert "Preparing" not in again.said()
        assert (again.run["apiKey"], again.run["neo4j"]) == (before["apiKey"], before["neo4j"])
        assert "Solvang" in again.cli("ask", "guide", "Who signs the calibration certificates?")
        assert "Making the demo" not in again.said()
        assert again.cli("down") == "Stopped.\n"
        assert again.process.wait(60) == 0
    assert processes_of(folder) == []
    assert again.cli("down") == f"Nothing is running in {folder / 'data'}.\n"
    assert "not running" in again.cli("status", code=1)


def _until_completed(api: httpx2.Client, document: str) -> None:
    for _ in range(600):
        status = api.get(f"/documents/{document}").json()["properties"]["status"]
        if status == "COMPLETED":
            return
        assert status in ("PENDING", "PROCESSING")
        time.sleep(0.2)
    raise AssertionError("not processed in two minutes")
