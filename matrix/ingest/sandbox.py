"""The Parser port: every slice of a document is parsed by a limited child process, which is killed with its group when
it takes too long or is no longer wanted. What holds the child is in `matrix.ingest.confinement`; parsing itself is not
here: the composition root names the module that the child runs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from matrix.domain.document_failures import FailureCode, document_failure
from matrix.domain.documents import ParsedDocument
from matrix.domain.parsed_json import decode_parsed
from matrix.errors import DocumentError, UnsupportedType
from matrix.ingest import confinement
from matrix.ingest.confinement.limits import SandboxLimits
from matrix.ingest.slices import PageSlice, merge_slices
from matrix.ports import ParseProgress

_LAUNCHER = str(Path(confinement.__file__).parent)
_TAIL = 4096
# Nothing of the parent's environment reaches the child; one thread, for its limits are those of one.
_ENVIRONMENT = {
    "LANG": "C.UTF-8",
    "MALLOC_ARENA_MAX": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True, slots=True)
class _Files:
    document: BinaryIO
    result: BinaryIO
    complaints: BinaryIO


@dataclass(frozen=True, slots=True)
class _Outcome:
    """How a child ended: its exit status (negative: the signal; None: stopped by the wall clock), and what it left."""

    status: int | None
    result: bytes
    complaints: str


class _ParserDiedError(Exception):
    """The child's own death: the one failure that is worth a second attempt. Its words are for the log."""

    def __init__(self, code: FailureCode, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class SandboxParser:
    """Parses in children that run `python -m <module>`, at most `limits.slice_pages` pages each.

    `detect_language` is called once with the merged text, in a thread of this process: its model is loaded once.
    `readable` are folders beyond Python's own that the children may read (a model's, say).
    """

    def __init__(
        self,
        module: str,
        *,
        detect_language: Callable[[str], str | None],
        limits: SandboxLimits | None = None,
        readable: Sequence[Path] = (),
    ) -> None:
        self._module = module
        self._readable = os.pathsep.join(map(str, readable))
        self._detect_language = detect_language
        self._limits = limits or SandboxLimits()

    async def parse(
        self,
        path: Path,
        *,
        name: str,  # noqa: ARG002  # of the port: other parsers tell formats apart by it
        media_type: str,
        progress: ParseProgress | None = None,
    ) -> ParsedDocument:
        """Errors: DocumentError (`too_complex`, `timeout`, `parser_crashed` from here, the rest from the parser)."""
        slices: list[PageSlice] = []
        done, total = 0, 1
        while done < total:
            until = done + self._limits.slice_pages
            slices.append(await self._slice(path, [media_type, str(done), str(until)]))
            total = slices[-1].all_pages
            done = min(until, total)
            if progress is not None:
                await progress(done, total)
        return await asyncio.to_thread(self._whole, slices)

    def _whole(self, slices: list[PageSlice]) -> ParsedDocument:
        document = merge_slices(slices)
        return replace(document, language=document.language or self._detect_language(document.text))

    async def _slice(self, path: Path, arguments: list[str]) -> PageSlice:
        for attempt in range(1, self._limits.attempts + 1):
            outcome = await self._run(path, arguments)
            try:
                return await asyncio.to_thread(_read_outcome, outcome)
            except _ParserDiedError as death:
                if attempt == self._limits.attempts:
                    raise document_failure(death.code) from death
        raise AssertionError("at least one attempt is made")

    async def _run(self, path: Path, arguments: list[str]) -> _Outcome:
        with contextlib.ExitStack() as stack:
            files = await asyncio.to_thread(_open_files, path, stack)
            status = await self._run_child(files, arguments)
            return await asyncio.to_thread(_outcome, status, files, self._limits.result_size)

    async def _run_child(self, files: _Files, arguments: list[str]) -> int | None:
        limits = self._limits
        numbers = (limits.address_space, limits.cpu_seconds, limits.file_size, limits.open_files)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", _LAUNCHER, str(os.getpid()), ",".join(map(str, numbers)), self._readable, self._module),
            *arguments,
            stdin=files.document,
            stdout=files.result,
            stderr=files.complaints,
            env=_ENVIRONMENT,
            cwd="/",
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(limits.wall_seconds):
                return await process.wait()
        except TimeoutError:
            return None
        finally:
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kills a child that still runs, with its whole group, and collects it."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _open_files(path: Path, stack: contextlib.ExitStack) -> _Files:
    return _Files(
        document=stack.enter_context(path.open("rb")),
        result=stack.enter_context(tempfile.TemporaryFile()),
        complaints=stack.enter_context(tempfile.TemporaryFile()),
    )


def _outcome(status: int | None, files: _Files, result_size: int) -> _Outcome:
    size = files.complaints.seek(0, os.SEEK_END)
    files.complaints.seek(max(0, size - _TAIL))
    complaints = files.complaints.read().decode("utf-8", "replace")
    files.result.seek(0)
    result = files.result.read(result_size + 1) if status == 0 else b""
    if len(result) > result_size:
        raise document_failure(FailureCode.TOO_LONG)
    return _Outcome(status, result, complaints)


def _read_outcome(outcome: _Outcome) -> PageSlice:
    if outcome.status != 0:
        raise _death(outcome)
    header, _, body = outcome.result.partition(b"\n")
    try:
        fields = json.loads(header)
        if "error" in fields:
            raise _reported(fields["error"])
        return PageSlice(decode_parsed(body), int(fields["all_pages"]))
    except (ValueError, TypeError, KeyError, RecursionError) as cause:
        raise _ParserDiedError(FailureCode.BROKE_OFF, f"it answered nonsense: {cause}") from cause


def _reported(error: dict[str, str]) -> DocumentError | UnsupportedType:
    kind = UnsupportedType if error["code"] == UnsupportedType.code else DocumentError
    return kind(str(error["message"]), code=str(error["code"]), advice=str(error["advice"]))


def _death(outcome: _Outcome) -> _ParserDiedError:
    status = outcome.status
    last = next(_last_lines(outcome.complaints), "nothing was said")
    if status is None or -status in (signal.SIGXCPU,):
        return _ParserDiedError(FailureCode.TIMEOUT, last)
    if -status == signal.SIGKILL or "MemoryError" in outcome.complaints:
        return _ParserDiedError(FailureCode.TOO_COMPLEX, last)
    ended = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return _ParserDiedError(FailureCode.BROKE_OFF, f"it ended {ended}: {last}")


def _last_lines(complaints: str) -> Iterator[str]:
    return (line.strip()[:200] for line in reversed(complaints.splitlines()) if line.strip())
