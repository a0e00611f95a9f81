"""Networks side by side as columns of a table, as plain text and as CSV."""

import csv
import io
from collections.abc import Sequence
from math import inf, isfinite
from typing import cast

from app.panels.networks.metrics_text import DASH, degree_text
from app.widgets.array_table import Column
from app.wording.numbers import gbs, significant
from core.figures import network_table
from core.figures.network_table import COLUMNS, Row
from core.load.compatibility import has_defaults
from core.network import AnyNetwork
from core.network.network import NetworkSpec
from core.spec import fields_of, members
from core.text import links_of

DEGREE = "degree_max"
MERGED_COLUMNS = {"degree_min"}
"""Columns that are merged into another."""
DEGREE_HEAD, DEGREE_TIP = "Degree", "Smallest and largest number of links of a node or switch"


def families_like(shown: NetworkSpec) -> list[NetworkSpec]:
    """Return a network of every family that needs no file; for its own family the network on screen."""
    families = [family for family in members(AnyNetwork) if isinstance(shown, family) or has_defaults(family)]
    return [shown if isinstance(shown, family) else cast(NetworkSpec, family()) for family in families]


def entries_like(shown: NetworkSpec, nodes: int) -> list[tuple[str, NetworkSpec]]:
    """Return these networks by title, scaled to about `nodes` nodes."""
    specs = [spec for spec in families_like(shown) if spec is shown or not _lacks_file(spec)]
    return [(spec.title, spec.sized(nodes)) for spec in specs]


def _lacks_file(spec: NetworkSpec) -> bool:
    return any(field.is_file and not getattr(spec, field.name) for field in fields_of(type(spec)))


def network_columns(rows: Sequence[Row]) -> list[Column]:
    """Return the table's columns."""
    names = [f"{row.entry.name}: {row.entry.network.summary()}" for row in rows]
    columns = [Column("Network", "Family and size; click to choose", names, str, number=False, elides=True)]
    for column in COLUMNS:
        absent = column.rare and all(column.of(row) is None for row in rows)
        if column.key not in MERGED_COLUMNS and not absent:
            columns.append(_figures(column, rows))
    limits = [row.flowing.bottleneck if row.flowing is not None else "" for row in rows]
    tip = "Class of the links with the highest utilisation"
    return [*columns, Column("Bottleneck", tip, limits, lambda name: links_of(name) if name else "", number=False)]


def _figures(column: network_table.Column, rows: Sequence[Row]) -> Column:
    if column.key == DEGREE:
        return _degrees(rows)
    values = [inf if (value := column.of(row)) is None else float(value) for row in rows]
    return Column(head_of(column), _tip(column), values, lambda value: cell_text(column.key, value))


def _degrees(rows: Sequence[Row]) -> Column:
    # Sorted by the highest degree, then by the lowest.
    pairs = [(row.metrics.degree_min, row.metrics.degree_max) for row in rows]
    keys = [high + low * 1e-6 for low, high in pairs]
    written = {key: degree_text(*pair) for key, pair in zip(keys, pairs, strict=True)}
    return Column(DEGREE_HEAD, DEGREE_TIP, keys, lambda key: written[key])


def head_of(column: network_table.Column) -> str:
    """Return the short head of a column, with its unit."""
    unit = {"hops": "", "GB/s per node": "GB/s"}.get(column.unit, column.unit)
    return DEGREE_HEAD if column.key == DEGREE else column.title + (f", {unit}" if unit else "")


def _tip(column: network_table.Column) -> str:
    meaning = column.figure.meaning
    return f"{meaning[:1].upper()}{meaning[1:]}"


def cell_text(key: str, value: float) -> str:
    """Return a figure as text for the table; a dash if unknown."""
    if not isfinite(value):
        return DASH
    if key.endswith("_gbs"):
        return gbs(value)
    return significant(value) if key in ("aspl", "time") else f"{value:,.{1 if key == 'cable_mean_m' else 0}f}"


def csv_of(rows: Sequence[Row]) -> str:
    """Return all figures as CSV, one row per network below the heads; unknown figures are empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    units = [f"{column.key} [{column.unit}]" if column.unit else column.key for column in COLUMNS]
    writer.writerow(["network", "size", *units, "limit", "notes"])
    for row in rows:
        values = [column.of(row) for column in COLUMNS]
        limit = row.flowing.bottleneck if row.flowing is not None else ""
        size = row.entry.network.summary()
        writer.writerow([row.entry.name, size, *("" if v is None else v for v in values), limit, "; ".join(row.notes)])
    return out.getvalue()
