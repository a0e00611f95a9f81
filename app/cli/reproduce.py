"""`reproduce`: a paper's tables, ours beside the printed values."""

import argparse
from collections.abc import Callable, Sequence

import msgspec

from core.study.all_to_all import ASSUMPTIONS, Figure, figures
from core.study.percs_tables import SEEDS, TABLES, Cell, cells


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    parser.add_argument(
        "paper",
        choices=PAPERS,
        help="percs: mapping for IBM's PERCS, Tables 1-4; alltoall: all-to-all inside one of its supernodes",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compute what the paper prints, and print both."""
    return PAPERS[options.paper](options)


def _run_percs(options: argparse.Namespace) -> int:
    found = list(cells(progress=options.live.stage("evaluating 89 cells")))
    options.live.end()
    if options.json:
        print(msgspec.json.encode({"paper": "percs", "seeds": SEEDS, "cells": found}).decode())
        return 0
    for table in TABLES:
        print(f"\nTable {table.number}. {table.title}: GB/s per node, ours (printed)")
        rows = [cell for cell in found if cell.table == table.number]
        _print_table(table.columns, rows)
    print(f"\nRandom mappings: mean [least .. most] of {SEEDS} seeds.")
    differing = [cell for cell in found if not cell.agrees]
    agreeing = len(found) - len(differing)
    print(f"{agreeing} of {len(found)} cells agree: as rounded in print, or print lies in the range.")
    for cell in differing:
        where = f"Table {cell.table}, {cell.row}, {cell.column}"
        print(f"differs: {where}: ours {cell.ours:.4g}, printed {cell.printed:g}: {cell.note}")
    return 0


def _print_table(columns: Sequence[str], rows: list[Cell]) -> None:
    width = {c: 2 + max(len(c), *(len(_cell(cell)) for cell in rows if cell.column == c)) for c in columns}
    print(f"{'':<10}" + "".join(f"{column:>{width[column]}}" for column in columns))
    for row in dict.fromkeys(cell.row for cell in rows):
        line = "".join(f"{_cell(cell):>{width[cell.column]}}" for cell in rows if cell.row == row)
        print(f"{row:<10}{line}")


def _cell(cell: Cell) -> str:
    spread = f" [{cell.low:.4g}..{cell.high:.4g}]" if cell.low != cell.high else ""
    mark = "" if cell.agrees else " !"
    return f"{cell.ours:.4g}{spread} {cell.bottleneck} ({cell.printed:g} {cell.printed_bottleneck}){mark}"


def _run_alltoall(options: argparse.Namespace) -> int:
    found = list(figures(options.live.stage("timing 1,023 steps, nine times")))
    options.live.end()
    if options.json:
        print(msgspec.json.encode({"paper": "alltoall", "assumptions": ASSUMPTIONS, "figures": found}).decode())
        return 0
    print("\nAll-to-all inside a PERCS supernode: ours (printed)\n")
    width = max(len(figure.name) for figure in found)
    for figure in found:
        print(f"{figure.name:<{width}}  {_figure(figure):<26}  {figure.note}")
    print("\nAssumptions:")
    for assumption in ASSUMPTIONS:
        print(f"- {assumption}")
    printed = [figure for figure in found if figure.agrees is not None]
    differing = [figure for figure in printed if not figure.agrees]
    print(f"\n{len(printed) - len(differing)} of {len(printed)} printed figures agree.")
    for figure in differing:
        print(f"does not follow: {figure.name}: ours {figure.ours:.4g}, printed {figure.printed:g}: {figure.note}")
    return 0


def _figure(figure: Figure) -> str:
    printed = "" if figure.printed is None else f" ({figure.printed:g})"
    return f"{figure.ours:,.4g}{printed} {figure.unit}{' !' if figure.agrees is False else ''}"


PAPERS: dict[str, Callable[[argparse.Namespace], int]] = {"percs": _run_percs, "alltoall": _run_alltoall}
"""By the name on the command line."""
