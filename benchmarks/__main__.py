"""The runner: `python -m benchmarks [--list] [--write] [--scale 1] [--chunks 1000] [--minutes 3] [name …]`.

Without names all benchmarks run, one after the other. `--write` puts the figures into RESULTS.md in place of those that
the same benchmark left there. Exit 1 when a goal was missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Coroutine, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

from benchmarks import answers, edits, ingest_processor, second_start, shared_index, while_ingesting
from benchmarks.outcome import Options, Outcome, Row

RESULTS = Path(__file__).with_name("RESULTS.md")

BENCHMARKS: Mapping[str, tuple[str, Callable[[Options], Coroutine[Any, Any, Outcome]]]] = {
    "shared-index": ("Search, recall, neighbours and deletion in an index of 100,000 chunks", shared_index.measure),
    "ingest-processor": ("Processor time of ingesting against embedding alone", ingest_processor.measure),
    "while-ingesting": ("100 searches at once while a PDF of 2,000 pages comes in", while_ingesting.measure),
    "second-start": ("The second start beside that of Neo4j alone", second_start.measure),
    "edits": ("Embeddings that an edit costs", edits.measure),
    "answers": ("The local answerer on XQuAD and Hotpot questions", answers.measure),
}


def main() -> int:
    options = read_options()
    if options.list:
        for name, (title, _) in BENCHMARKS.items():
            print(f"{name:18} {title}")
        return 0
    unknown = [name for name in options.names if name not in BENCHMARKS]
    if unknown:
        print(f"There is no benchmark {', '.join(unknown)}; --list shows those that are.", file=sys.stderr)
        return 2
    missed = [name for name in options.names or BENCHMARKS if not run(name, options)]
    if missed:
        print(f"Goals were missed in: {', '.join(missed)}.", file=sys.stderr)
    return 1 if missed else 0


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure Matrix; ratios only.")
    parser.add_argument("names", nargs="*", metavar="name")
    parser.add_argument("--list", action="store_true", help="say which benchmarks there are")
    parser.add_argument("--write", action="store_true", help="put the figures into benchmarks/RESULTS.md")
    parser.add_argument("--scale", type=float, default=1.0, help="size of made-up corpora; figures count at 1 alone")
    parser.add_argument("--chunks", type=int, default=1000, help="passages that are really embedded")
    parser.add_argument("--minutes", type=float, default=3.0, help="how long searches run beside an ingestion")
    return parser.parse_args()


def run(name: str, options: argparse.Namespace) -> bool:
    """Runs one, prints it, and says whether its goals were met."""
    title, measure = BENCHMARKS[name]
    print(f"{name}: {title} …", file=sys.stderr, flush=True)
    load, began = os.getloadavg()[0], time.monotonic()
    outcome = asyncio.run(measure(Options(options.scale, options.chunks, options.minutes)))
    took, after = time.monotonic() - began, os.getloadavg()[0]
    section = "\n".join(
        [
            f"## {name}: {title}",
            "",
            f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, `{command(name, options)}`, {took:.0f} s; "
            f"load {load:.1f} before, {after:.1f} after; {machine()}.",
            "",
            "| what | measured | goal | met |",
            "|---|---|---|---|",
            *(line(row) for row in outcome.rows),
            *(["", *outcome.notes] if outcome.notes else []),
            "",
        ]
    )
    print(section, flush=True)
    if options.write:
        write(name, section)
    return all(row.met is not False for row in outcome.rows)


def line(row: Row) -> str:
    met = {None: "", True: "yes", False: "**no**"}[row.met]
    return f"| {row.what} | {row.measured} | {row.goal or 'reported'} | {met} |"


def command(name: str, options: argparse.Namespace) -> str:
    given = {"--scale": (options.scale, 1.0), "--chunks": (options.chunks, 1000), "--minutes": (options.minutes, 3.0)}
    changed = "".join(f" {flag} {value:g}" for flag, (value, default) in given.items() if value != default)
    return f"python -m benchmarks {name}{changed}"


def machine() -> str:
    cores, memory = os.cpu_count(), psutil.virtual_memory().total / 2**30
    return f"{platform.machine()}, {cores} cores, {memory:.0f} GiB, {processor()}, Python {platform.python_version()}"


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.+)$", info.read_text("utf-8"), re.MULTILINE)
    return found.group(1) if found else platform.processor()


def write(name: str, section: str) -> None:
    """Puts the section in place of the one of this benchmark, or at the end; what people wrote under `### ` stays."""
    text = RESULTS.read_text("utf-8")
    pattern = re.compile(rf"^## {re.escape(name)}: .*?(?=^##|\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(text):
        text = pattern.sub(lambda _: section + "\n", text, count=1)
    else:
        text = text.rstrip("\n") + "\n\n" + section
    RESULTS.write_text(text, "utf-8")


if __name__ == "__main__":
    sys.exit(main())
