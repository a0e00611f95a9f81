"""Every table of every paper, on small machines: its progress, and bounds of figures that are not printed."""

from dataclasses import replace

import pytest

from core.network import Dragonfly
from core.papers import (
    all_to_all,
    clex_tables,
    percs_tables,
    shortcut_apps,
    shortcut_pairs,
    shortcut_tables,
    shortcut_times,
    transpose_tables,
)
from core.papers.papers import PAPERS, paper
from core.timing import messages
from tests.core.papers.golden_tables import GOLDEN, computed


def small_run(run):
    """Return the run on 4^levels nodes, with fewer messages."""
    return replace(run, k=4, messages=max(run.messages // 10, 1), draws=1)


SIZES = {"NODES": 32, "RANKS": 16, "SWAPS": 50}
GROUPS = {"DRAGONFLY": Dragonfly(4, 2, 8)}
SMALL = {
    shortcut_tables: SIZES
    | GROUPS
    | {"TOPOLOGIES": 2, "MANY_SWAPS": 50, "FEW_SWAPS": 20, "A_FEW_SWAPS": 50, "GROWING": (16, 32)}
    | {"MIN_HOPS_NODES": (16,), "MEASURED_NODES": (16, 32), "CABLED_NODES": (32, 64)},
    shortcut_pairs: {"NODES": 32},
    shortcut_times: SIZES | GROUPS | {"FEW_SWAPS": 20},
    shortcut_apps: {"NODES": 128, "SWAPS": 20, "DRAWS": 1},
    transpose_tables: {
        "SEEDS": 2,
        "SIZES": {32: (2, 4, 4), 128: (4, 4, 8), 256: (4, 4, 8), 1024: (4, 4, 8), 2048: (4, 4, 8)},
    },
    clex_tables: {"RUNS": tuple(small_run(run) for run in clex_tables.RUNS), "_played": {}},
    percs_tables: {"SEEDS": 2},
    all_to_all: {"SEEDS": 1},
    messages: {"MAX_PARTS": 1},
}
"""Values of constants of modules, with which no table takes more than a second or two."""
TABLES = [(name, table.name) for name in PAPERS for table in paper(name).tables]


@pytest.fixture
def small(monkeypatch):
    for module, constants in SMALL.items():
        for name, value in constants.items():
            monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize(("name", "table"), TABLES)
def test_progress_rises_from_0_to_1_and_no_figure_is_impossible(small, name, table):
    assert computed(name, table)


def test_figures_of_every_table_are_recorded():
    recorded = {(name, table) for name, tables in GOLDEN.items() for table in tables}
    assert recorded == set(TABLES), "record new tables by python -m tests.checks PAPER TABLE"
