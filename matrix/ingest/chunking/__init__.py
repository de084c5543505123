"""A parsed document into passages, cut where the content says so: an edit changes the chunks around it and no others.

`limits` what a chunk may measure, `stretches` the text by role, `sentences` and `long_text` where prose may be cut,
`gaps` all places to cut with their priorities, `cuts` the choice among them, `overlap` and `sections` what goes in
front, `document` the whole flow. Embedding and storing live elsewhere.
"""

from matrix.ingest.chunking.document import chunk_document
from matrix.ingest.chunking.limits import check_chunking
from matrix.ingest.chunking.placing import place

__all__ = ["check_chunking", "chunk_document", "place"]
