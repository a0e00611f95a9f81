"""Forwarding tables of a fabric of 2,048 hosts: reading, evaluating and editing; CPU time, medians."""

import time
from statistics import median

import pytest

from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges, Xgft
from core.routing import Tables
from core.routing.tables.engines import compute_tables
from core.routing.tables.lft_dump import dump_of
from tests.benchmarks.test_live import applied, swaps
from tests.benchmarks.timing import faster, seconds_text, timed
from tests.core.routing.tables.fabrics import built, discovered

HOSTS = 2048
LARGE = Xgft(down=(16, 8, 16), up=(1, 8, 16))
"""Its nodes are on 384 switches."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fabric")
    network = built(folder, discovered(LARGE))
    (folder / "lfts.dump").write_text(dump_of(compute_tables(network, "d-mod-k"), network).content)
    return folder


def scenario(folder, job):
    return Scenario(Edges(file="fabric.txt"), job, Sequential(), Tables(file="lfts.dump"), folder=folder)


def test_tables_read_and_evaluated(record, folder):
    seconds = []
    for _ in range(3):
        begun = time.process_time()
        report = evaluate(scenario(folder, AllToAll(HOSTS)).build())
        seconds.append(time.process_time() - begun)
    assert report.case.network.nodes == HOSTS
    spent = median(seconds)
    record("fabric and tables read, all-to-all evaluated: 2,048 hosts, 384 switches", f"{seconds_text(spent)} of CPU")
    assert spent < 3


def test_one_swap_under_tables(record, folder):
    case = scenario(folder, Halo(32, 64)).build()
    live = LiveLoads(evaluate(case))
    edits = swaps(live, 50)
    applied(live, edits[:10])
    full, swap = median(timed(evaluate, case) for _ in range(5)), median(applied(live, edits))
    baseline = f"{faster(full, swap)} than computing all loads"
    record("a swap of two tasks: Halo on 2,048 hosts by tables", seconds_text(swap), baseline)
    assert swap < 1e-3
