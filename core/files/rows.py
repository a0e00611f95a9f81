"""Rows of figures as CSV or Parquet."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct, structs

from core.files.atomic import write_atomically
from core.optional import optional

SUFFIXES = ".csv", ".parquet"


def write_rows(path: Path, kind: type[Struct], rows: Sequence[Struct], field: str) -> None:
    """Write a row for each struct of a kind, with a column for each of its fields; CSV unless `path` ends in .parquet.

    Raises SpecError: under `field`, if the file cannot be written, or pyarrow is not installed.
    """
    columns, plain = kind.__struct_fields__, list(map(structs.asdict, rows))
    if path.suffix.lower() != ".parquet":
        text = io.StringIO()
        writer = csv.DictWriter(text, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(plain)
        write_atomically(path, text.getvalue().encode(), field)
        return
    pa, pq = optional("pyarrow", "parquet", field), optional("pyarrow.parquet", "parquet", field)
    data = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(plain) if plain else pa.table({name: [] for name in columns}), data)
    write_atomically(path, data.getvalue(), field)
