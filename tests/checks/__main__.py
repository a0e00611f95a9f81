"""Record figures of reproduced tables: ``python -m tests.checks PAPER [TABLE ...]``, default: all tables."""

import sys

from core.papers.papers import paper
from tests.core.papers.golden_tables import record

if __name__ == "__main__":
    name, *tables = sys.argv[1:]
    record(name, tables or [table.name for table in paper(name).tables])
