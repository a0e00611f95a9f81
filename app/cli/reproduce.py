"""`reproduce`: a paper's tables, recomputed and compared with the printed values."""

import argparse
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from app.cli.json_output import declare_json, print_json
from app.cli.options import declare_epilog, declare_workers
from core.papers.papers import (
    DIFFERS,
    EQUAL,
    IMPOSSIBLE,
    PAPERS,
    UNPRINTED,
    WITHIN,
    Cell,
    Paper,
    PaperTable,
    cells_of,
    for_comparison,
    in_print,
    paper,
    verdict,
)
from core.spec import Progress
from core.text import figure, plural

MAX_PROCESSES = 16
"""Maximum number of processes by default, since more would have little to do, and each needs memory."""


EPILOG = """\
percs      mapping strategies for IBM's PERCS
alltoall   all-to-all within a PERCS supernode
transpose  matrix transpose on tori
shortcut   collectives on rings with shortcuts
clex       CLEX networks and the rounds of their algorithm
machines   the machines that are available by name, compared with public descriptions
"""


class Reproduced(Struct, frozen=True):
    """Tables of a paper, computed and as printed."""

    paper: str
    cells: list[Cell]
    remarks: list[str]
    left_out: list[str]
    """Tables that take long."""
    absent: list[dict[str, str]]
    """Figures of the paper that are not reproduced, each with the reason."""


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_epilog(parser, EPILOG)
    parser.add_argument("paper", choices=PAPERS, metavar="PAPER", help=", ".join(PAPERS))
    parser.add_argument("--table", action="append", default=[], metavar="T", help="only this table (repeatable)")
    parser.add_argument("--all", action="store_true", help="include tables that take minutes")
    declare_workers(parser, note="all cores for tables that take minutes, else 1")
    declare_json(parser, Reproduced)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compute a paper's tables and compare them with the printed values.

    Raises SpecError: if the paper has no such table.
    """
    chosen = paper(options.paper)
    tables = chosen.chosen(options.table, everything=options.all)
    progress = options.live.stage(f"computing {', '.join(table.name for table in tables)}")
    cells = _computed(options.paper, tables, options.workers, progress)
    options.live.end()
    if options.json:
        left_out = [] if options.table else [table.name for table in chosen.tables if table not in tables]
        absent = [{"what": what, "why": why} for what, why in chosen.absent]
        print_json(Reproduced(options.paper, cells, list(chosen.remarks), left_out, absent))
    else:
        _print(chosen, tables, cells, asked=bool(options.table))
    return 0


def _computed(name: str, tables: Sequence[PaperTable], processes: int | None, progress: Progress) -> list[Cell]:
    if processes == 1 or (processes is None and not any(table.takes for table in tables)):
        return cells_of(tables, progress)
    from app.model.search_run import cores
    from core.papers.papers_in_processes import cells_in_processes

    return cells_in_processes(name, tables, processes or min(cores(), MAX_PROCESSES), progress)


def _print(chosen: Paper, tables: tuple[PaperTable, ...], all_cells: list[Cell], *, asked: bool) -> None:
    print(f"{chosen.title}: computed (printed)")
    titles = {table.name: table.title for table in tables}
    for name, cells in groupby(all_cells, key=lambda cell: str(cell.table)):
        print(f"\n{f'Table {name}. ' if name[0].isdigit() else ''}{titles.get(name, name)}")
        _print_table(list(cells))
    if chosen.remarks:
        print("\n" + "\n".join(f"- {remark}" for remark in chosen.remarks))
    print()
    _print_verdicts(all_cells)
    for table in () if asked else chosen.tables:
        if table not in tables:
            skipped = f"table {table.name}, {table.title}, takes {table.takes}; use --table {table.name} or --all"
            print(f"skipped: {skipped}")
    for what, why in () if asked else chosen.absent:
        print(f"not reproduced: {what}: {why}")


def _print_verdicts(cells: list[Cell]) -> None:
    count = Counter(map(verdict, cells))
    printed = sum(cell.printed is not None for cell in cells)
    kinds = ", ".join(f"{count[kind]} {kind}" for kind in (EQUAL, WITHIN))
    print(f"{count[EQUAL] + count[WITHIN]} of {printed} cells agree: {kinds}.")
    if unprinted := len(cells) - printed:
        print(f"{count[UNPRINTED]} of {plural(unprinted, 'cell')} without a printed value are within their bounds.")
    for cell in cells:
        if verdict(cell) == IMPOSSIBLE:
            print(f"impossible: {cell.place}: computed {for_comparison(cell)} {cell.range_text}; please report this")
        elif verdict(cell) == DIFFERS:
            print(f"differs: {cell.place}: {_both(cell)}: {cell.note}")


def _both(cell: Cell) -> str:
    # Values that are rounded to the same text would read as agreement.
    computed, printed = for_comparison(cell), in_print(cell.printed or 0.0)
    return f"both {computed}" if computed == printed else f"computed {computed}, printed {printed}"


def _print_table(cells: list[Cell]) -> None:
    if len({cell.row for cell in cells}) == len(cells):
        # With one figure per row, its column is its unit, which leaves room for the paper's notes.
        name, figure = (max(map(len, texts)) for texts in ([c.row for c in cells], [_cell(c) for c in cells]))
        unit = max(len(cell.column) for cell in cells)
        for cell in cells:
            line = f"{cell.row:<{name}}  {_cell(cell):<{figure}}  {cell.column:<{unit}}  {cell.note}"
            print(line.rstrip())
        return
    columns = list(dict.fromkeys(cell.column for cell in cells))
    width = {c: 2 + max(len(c), *(len(_cell(cell)) for cell in cells if cell.column == c)) for c in columns}
    room = max(10, 2 + max(len(cell.row) for cell in cells))
    print(f"{'':<{room}}" + "".join(f"{column:>{width[column]}}" for column in columns))
    for row in dict.fromkeys(cell.row for cell in cells):
        of_row = {cell.column: _cell(cell) for cell in cells if cell.row == row}
        print(f"{row:<{room}}" + "".join(f"{of_row.get(column, ''):>{width[column]}}" for column in columns))


def _cell(cell: Cell) -> str:
    spread = f" [{figure(cell.low)}..{figure(cell.high)}]" if cell.low != cell.high else ""
    # With the class of the bottleneck, if the paper prints it, and the upper bound of the best stored mappings.
    bottleneck, printed_class, gap = (getattr(cell, name, "") for name in ("bottleneck", "printed_bottleneck", "gap"))
    printed = "" if cell.printed is None else f" ({f'{in_print(cell.printed)} {printed_class}'.strip()})"
    mark = " !" if verdict(cell) in (DIFFERS, IMPOSSIBLE) else ""
    after = f"{f' {bottleneck}' if bottleneck else ''}{f', {gap}' if gap else ''}"
    return f"{for_comparison(cell)}{spread}{after}{printed}{mark}"
