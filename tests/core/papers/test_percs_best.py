"""Stored mappings of halo exchanges on PERCS: their files, throughputs, bounds and gaps."""

import json
from dataclasses import replace
from importlib.resources import files
from itertools import product

import pytest

import resources
from app.cli.main import main
from core.files import SUFFIX, decode, encode
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.mapping.explicit import Explicit
from core.network import Percs
from core.papers.percs_best import BEST, FURTHER, GRIDS, best_cell, further_cells, optimal, other, scenario_of, stored
from core.papers.percs_statements import D_LINKS
from core.spec import no_progress

PLACES = sorted({*product((32,), D_LINKS), *product((16, 32, 64, 128), (4,)), *FURTHER})
MOST_BYTES = 700_000
"""Limit on the size of all stored mappings."""


@pytest.fixture(scope="module")
def cells():
    return {place: best_cell("best", "row", BEST, Percs(*place)) for place in PLACES}


def content(place):
    return files(resources).joinpath(f"{stored(*place)}{SUFFIX}").read_bytes()


@pytest.mark.parametrize("place", PLACES)
def test_a_file_is_the_scenario_of_its_cell(place):
    scenario = decode(content(place))
    network = Percs(*place)
    assert encode(scenario) == content(place)
    assert replace(scenario, note="") == scenario_of(network, scenario.mapping)
    assert bool(scenario.note) == (stored(*place) == optimal(*place))
    assert isinstance(scenario.mapping, Explicit)
    assert scenario.job.rows * scenario.job.cols == network.supernodes * 128


def test_every_stored_mapping_belongs_to_a_cell_and_all_are_small():
    presets = {entry.name for entry in (files(resources) / "presets").iterdir() if "optimal" in entry.name}
    others = {entry.name for entry in (files(resources) / "papers" / "percs").iterdir()}
    assert {f"presets/{name}" for name in presets} | {f"papers/percs/{name}" for name in others} == {
        f"{stored(*place)}{SUFFIX}" for place in PLACES
    }
    assert sum(len(content(place)) for place in PLACES) < MOST_BYTES


@pytest.mark.parametrize("place", PLACES)
def test_a_cell_has_the_throughput_and_the_bound_of_the_file(cells, place):
    cell, report = cells[place], evaluate(decode(content(place)).build())
    assert cell.ours == report.throughput_gbs
    assert cell.bottleneck.split("/") == list(report.limiting)
    highest = report.throughput_gbs * report.time / bounds(report.case)[0].time
    assert cell.bounds == (0, pytest.approx(highest))
    assert cell.percent_of_bound == pytest.approx(100 * cell.ours / highest)
    assert not cell.impossible


def test_exactly_optimal_mappings_are_presets(cells):
    for place, cell in cells.items():
        is_optimal = cell.ours == pytest.approx(cell.bounds[1], rel=1e-9)
        assert stored(*place) == (optimal(*place) if is_optimal else other(*place))
        assert (cell.gap == "optimal") == is_optimal
        assert ("no mapping is faster" in cell.note) == is_optimal
        assert cell.note.endswith(f"File: resources/{stored(*place)}")
    assert {(16, 1), (16, 2), (16, 4), (32, 1), (64, 1), (128, 1)} <= {p for p in cells if cells[p].gap == "optimal"}


def test_a_gap_is_the_bound_with_the_share_reached(cells):
    for cell in cells.values():
        if cell.gap != "optimal":
            _, highest, share = cell.gap.replace(", ", " ").removesuffix(" %").split(" ")
            assert float(highest) == pytest.approx(cell.bounds[1], rel=1e-3)
            assert float(share) == pytest.approx(cell.percent_of_bound, abs=0.05)


def test_a_cell_without_a_stored_mapping_is_an_error():
    with pytest.raises(FileNotFoundError, match="no stored mapping for 512 supernodes and 1 D links per pair"):
        stored(512, 1)


def test_further_machines_are_a_grid():
    assert [(cell.row, cell.column) for cell in further_cells(no_progress)] == [
        (f"ns = {supernodes}", f"nd = {d_links}") for supernodes, d_links in FURTHER
    ]
    assert all(supernodes in GRIDS for supernodes, _ in FURTHER)


def test_the_best_mappings_are_printed_with_bound_and_gap(cells, capsys):
    assert main(["reproduce", "percs", "--table", "2"]) == 0
    text = capsys.readouterr().out
    assert BEST in text
    assert "128 LL/LR/D, optimal\n" in text
    gaps = [cells[supernodes, 4].gap for supernodes in (16, 32, 64, 128)]
    assert [line.endswith(gap) for gap, line in zip(gaps, text.splitlines()[4:8], strict=True)] == [True] * 4
    assert main(["reproduce", "percs", "--table", "best", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["cells"]
    assert [(cell["ours"], cell["bounds"][1], cell["percent_of_bound"], cell["gap"]) for cell in printed] == [
        (cell.ours, cell.bounds[1], cell.percent_of_bound, cell.gap) for cell in map(cells.get, FURTHER)
    ]
