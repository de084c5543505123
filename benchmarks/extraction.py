"""How well and how fast files are read: `python -m benchmarks.extraction [html|pdf|slices …]`.

html:   F1 over multisets of 4-word shingles, averaged over the 91 pages of ../shared/benchmarks/extraction/html.
pdf:    token F1 and pages a CPU second on the 117-page book of ../shared/benchmarks/extraction/pdf, beside PDFium's and
        pdfminer's bare text in the same run.
slices: a 2,000-page PDF made here, through the sandbox: pages a CPU second of parent and children together.
"""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import re
import resource
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

import pypdfium2
from pdfminer.high_level import extract_text

from matrix.ingest.sandbox import SandboxParser
from matrix.plugins.parsers.html.document import parse_html
from matrix.plugins.parsers.pdf.document import parse_pdf
from tests.plugins.parsers.pdf_writer import PdfPage, Words, lines, write_pdf

SAMPLES = Path(__file__).parents[1] / "../shared/benchmarks/extraction"
BOOK = SAMPLES / "pdf/009-pdflatex-geotopo/GeoTopo-komprimiert.pdf"
BOOK_TEXT = SAMPLES / "pdf/ground-truth/GeoTopo-book.txt"
WORDS = re.compile(r"\w+")


def agreement(found: Iterable[Hashable], wanted: Iterable[Hashable]) -> tuple[float, float, float]:
    """F1, precision and recall over multisets."""
    ours, theirs = Counter(found), Counter(wanted)
    common = (ours & theirs).total()
    if not common:
        return 0.0, 0.0, 0.0
    precision, recall = common / ours.total(), common / theirs.total()
    return 2 * precision * recall / (precision + recall), precision, recall


def shingles(text: str, size: int = 4) -> list[tuple[str, ...]]:
    words = WORDS.findall(text)
    return [tuple(words[start : start + size]) for start in range(max(1, len(words) - size + 1))] if words else []


def measure_html() -> None:
    truth = json.loads((SAMPLES / "html/ground-truth.json").read_text("utf-8"))
    pages = {key: gzip.decompress((SAMPLES / f"html/pages/{key}.html.gz").read_bytes()) for key in truth}
    began = time.process_time()
    texts = {key: parse_html(page).text for key, page in pages.items()}
    seconds = time.process_time() - began
    scores = [agreement(shingles(texts[key]), shingles(entry["articleBody"])) for key, entry in truth.items()]
    f1, precision, recall = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    print(f"HTML, {len(scores)} pages: F1 {f1:.3f} (precision {precision:.3f}, recall {recall:.3f})", end="; ")
    print(f"{sum(map(len, pages.values())) / 1e6 / seconds:.1f} MB a CPU second")


def measure_pdf() -> None:
    data, truth = BOOK.read_bytes(), _tokens(BOOK_TEXT.read_text("utf-8"))
    readers: dict[str, Callable[[], str]] = {
        "Matrix (layout, boxes, headings, tables)": lambda: parse_pdf(data)[0].text,
        "PDFium's bare text": lambda: _pdfium_text(data),
        "pdfminer.six's text": lambda: extract_text(io.BytesIO(data)),
    }
    for name, read in readers.items():
        began = time.process_time()
        text = read()
        seconds = time.process_time() - began
        f1 = agreement(_tokens(text), truth)[0]
        print(f"PDF book, {name}: token F1 {f1:.3f}; {117 / seconds:.0f} pages a CPU second")


def _tokens(text: str) -> list[str]:
    """Words; raised characters count as what they raise: the truth writes R2 for R²."""
    return WORDS.findall(unicodedata.normalize("NFKC", text))


def _pdfium_text(data: bytes) -> str:
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(data))


def measure_slices() -> None:
    sentence = "The heron of page {page} stands in line {line} of the marsh and waits for what swims by."
    pages = [
        PdfPage(
            [Words(f"Chapter {page}", y=740, size=18), *lines(*[sentence.format(page=page, line=n) for n in range(45)])]
        )
        for page in range(2_000)
    ]
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(write_pdf(pages))
        file.flush()
        began, wall = _cpu(), time.perf_counter()
        asyncio.run(_parse(Path(file.name)))
        print(f"PDF of 2,000 pages in slices: {2_000 / (_cpu() - began):.0f} pages a CPU second", end="; ")
        print(f"{time.perf_counter() - wall:.0f} s of wall time; largest child {_largest_child() >> 10} MiB")


async def _parse(path: Path) -> None:
    parser = SandboxParser("matrix.plugins.parsers.child", detect_language=lambda _: None)
    await parser.parse(path, name=path.name, media_type="application/pdf")


def _cpu() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def _largest_child() -> int:
    """KiB resident."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


PARTS = {"html": measure_html, "pdf": measure_pdf, "slices": measure_slices}


def main() -> None:
    if not SAMPLES.exists():
        raise SystemExit("../shared/benchmarks is absent: nothing was measured.")
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()


if __name__ == "__main__":
    main()
