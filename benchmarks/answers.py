"""The local answerer, as `local_answerer` measures it: what it prints about the held-out half of XQuAD."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from benchmarks.outcome import Options, Outcome, Row
from benchmarks.running import REPOSITORY

GOLD, REFUSED = 0.70, 0.90


async def measure(_: Options) -> Outcome:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "benchmarks.local_answerer", stdout=asyncio.subprocess.PIPE, cwd=Path(REPOSITORY)
    )
    printed, _error = await process.communicate()
    if process.returncode:
        raise SystemExit("benchmarks.local_answerer failed.")
    lines = printed.decode().splitlines()
    reported = next(line for line in lines if line.startswith("en report"))
    gold, hotpot = _number(r"contains gold ([.\d]+)", reported), _number(r"hotpot ([.\d]+)", reported)
    return Outcome(
        (
            Row("XQuAD en, held-out half: the answer contains the gold answer", f"{gold:.3f}", "aim .70", gold >= GOLD),
            Row("Hotpot questions put to that corpus: refused", f"{hotpot:.3f}", "aim .90", hotpot >= REFUSED),
        ),
        tuple(line for line in lines if line.startswith("en ")),
    )


def _number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    if found is None:
        raise ValueError(f"{pattern} is not in: {text}")
    return float(found.group(1))
