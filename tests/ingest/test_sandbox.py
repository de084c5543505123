"""The sandbox: documents pass through it slice by slice, and a parser that misbehaves is stopped, reported, and never
harms the process that waits for it."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from matrix.domain.document_failures import REASONS, FailureCode
from matrix.domain.documents import ParsedDocument
from matrix.errors import DocumentError
from matrix.ingest.confinement.landlock import landlock_version
from matrix.ingest.confinement.limits import SandboxLimits
from matrix.ingest.confinement.seccomp import seccomp_available
from matrix.ingest.sandbox import SandboxParser
from tests.plugins.parsers.pdf_writer import write_pdf

CHILD = "matrix.plugins.parsers.child"
QUICK = SandboxLimits(cpu_seconds=20, wall_seconds=30, attempts=1)
needs_kernel = pytest.mark.skipif(
    not (landlock_version() and seccomp_available()), reason="this kernel has no Landlock or no seccomp"
)


def _no_language(text: str) -> str | None:
    return None


def _bad_parser(limits: SandboxLimits = QUICK) -> SandboxParser:
    tests = Path(__file__).parents[1]
    return SandboxParser(
        "tests.ingest.misbehaving_parser", detect_language=_no_language, limits=limits, readable=[tests]
    )


async def _do(deed: str, tmp_path: Path, limits: SandboxLimits = QUICK) -> str:
    document = tmp_path / "document"
    document.write_bytes(b"bytes")
    parsed = await _bad_parser(limits).parse(document, name="document", media_type=deed)
    return parsed.text


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("canary", "utf-8")
    return path


@needs_kernel
@pytest.mark.feature("H2", "B7")
@pytest.mark.parametrize(
    "deed",
    [
        "connect:9",
        "open_unix_socket",
        "fork",
        "start_program",
        "replace_itself",
        "read_secret:/etc/passwd",
        "read_parents_environment",
        "signal_parent",
    ],
)
async def test_a_parser_is_refused_what_it_has_no_business_with(deed: str, tmp_path: Path) -> None:
    assert await _do(deed, tmp_path) == "refused: PermissionError"


@needs_kernel
@pytest.mark.feature("H2")
async def test_a_parser_reads_and_writes_no_file_but_its_document(secret: Path, tmp_path: Path) -> None:
    assert await _do(f"read_secret:{secret}", tmp_path) == "refused: PermissionError"
    assert await _do(f"list_folder:{tmp_path}", tmp_path) == "refused: PermissionError"
    assert await _do(f"write_file:{secret}", tmp_path) == "refused: PermissionError"
    assert secret.read_text("utf-8") == "canary"  # noqa: ASYNC240  # six bytes


@pytest.mark.feature("H2")
async def test_nothing_of_the_environment_reaches_a_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MATRIX_SECRET_KEY", "canary")
    assert "canary" not in await _do("read_environment", tmp_path)


@needs_kernel
@pytest.mark.feature("H2")
async def test_a_listener_of_this_machine_hears_nothing(tmp_path: Path) -> None:
    heard: list[object] = []

    async def listen(*connection: object) -> None:
        heard.append(connection)

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await _do(f"connect:{port}", tmp_path)
        assert not heard
        _, writer = await asyncio.open_connection("127.0.0.1", port)  # the listener does hear
        writer.close()
        await asyncio.sleep(0.05)
    assert heard


@pytest.mark.feature("H2", "B7")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the address space")
async def test_three_gibibytes_are_too_complex(tmp_path: Path) -> None:
    with pytest.raises(DocumentError) as failure:
        await _do("take_memory", tmp_path)
    assert failure.value.code == "too_complex"


@pytest.mark.feature("H2", "B7")
@pytest.mark.parametrize(
    ("deed", "limits", "code"),
    [
        ("spin", replace(QUICK, cpu_seconds=1), "timeout"),
        ("sleep", replace(QUICK, wall_seconds=1.0), "timeout"),
        ("crash", QUICK, "parser_crashed"),
        ("talk_nonsense", QUICK, "parser_crashed"),
        ("fill_disk", replace(QUICK, file_size=4 << 20), "parser_crashed"),
    ],
)
async def test_the_death_of_a_parser_is_a_failed_document(
    deed: str, limits: SandboxLimits, code: str, tmp_path: Path
) -> None:
    with pytest.raises(DocumentError) as failure:
        await _do(deed, tmp_path, limits)
    assert failure.value.code == code
    assert (failure.value.message, failure.value.advice) == REASONS[FailureCode(code)]
    assert failure.value.__cause__ is not None  # for the log


@pytest.mark.feature("B7")
async def test_a_cancelled_parse_leaves_no_child(tmp_path: Path) -> None:
    others = set(psutil.Process().children())  # such as the database of other tests
    parsing = asyncio.create_task(_do("sleep", tmp_path))
    while not (children := set(psutil.Process().children()) - others):  # noqa: ASYNC110  # no event tells of a child
        await asyncio.sleep(0.02)
    parsing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await parsing
    assert not any(child.is_running() and child.status() != psutil.STATUS_ZOMBIE for child in children)


_PARENT = """
import asyncio, pathlib, sys
from matrix.ingest.sandbox import SandboxParser
root = pathlib.Path(sys.argv[1])
parser = SandboxParser("tests.ingest.misbehaving_parser", detect_language=str.lower, readable=[root / "tests"])
asyncio.run(parser.parse(root / "pyproject.toml", name="x", media_type="sleep"))
"""


@pytest.mark.feature("B7")
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
async def test_a_parser_dies_with_its_parent() -> None:
    root = Path(__file__).parents[2]
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", _PARENT, str(root), cwd=root)
    while not (children := psutil.Process(parent.pid).children()):  # noqa: ASYNC110  # a process tree sends no event
        await asyncio.sleep(0.02)
    parent.kill()
    await parent.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, 10)
    assert all(child.status() == psutil.STATUS_ZOMBIE for child in alive)


@pytest.mark.feature("B1", "B11")
async def test_a_pdf_comes_through_slice_by_slice_like_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(write_pdf([[f"Page {number} tells of the heron."] for number in range(1, 8)]))
    progress: list[tuple[int, int]] = []

    async def note(done_pages: int, all_pages: int) -> None:
        progress.append((done_pages, all_pages))

    sliced = await _parser(slice_pages=3).parse(path, name="book.pdf", media_type="application/pdf", progress=note)
    whole = await _parser().parse(path, name="book.pdf", media_type="application/pdf")
    assert progress == [(3, 7), (6, 7), (7, 7)]
    assert sliced == whole
    assert [page.number for page in sliced.pages] == list(range(1, 8))
    for page in sliced.pages:
        assert f"Page {page.number} " in sliced.text[page.start : page.end]


def _parser(slice_pages: int = 100) -> SandboxParser:
    return SandboxParser(CHILD, detect_language=_no_language, limits=replace(QUICK, slice_pages=slice_pages))


@pytest.mark.feature("B1")
async def test_a_refusal_of_the_parser_keeps_its_code(tmp_path: Path) -> None:
    path = tmp_path / "broken.pdf"
    path.write_bytes(b"%PDF-1.7 and nothing more")
    with pytest.raises(DocumentError) as failure:
        await _parser().parse(path, name="broken.pdf", media_type="application/pdf")
    assert failure.value.code == "corrupt"


@pytest.mark.feature("B1")
async def test_the_language_is_found_by_the_parent(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Einige Worte", "utf-8")
    parser = SandboxParser(CHILD, detect_language=lambda text: "de" if "Worte" in text else None, limits=QUICK)
    parsed: ParsedDocument = await parser.parse(path, name="notes.txt", media_type="text/plain")
    assert parsed.language == "de"
