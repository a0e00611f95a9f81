"""Forwarding tables computed by routing engines and written for OpenSM; CPU time, medians of three."""

import time
from statistics import median

import pytest

from core.network import Xgft
from core.routing.tables.engines import ENGINES, compute_tables
from core.routing.tables.lft_dump import dump_of
from tests.benchmarks.timing import seconds_text, timed
from tests.core.routing.tables.fabrics import built, discovered

LARGE = Xgft(down=(16, 8, 16), up=(1, 8, 16))
"""2,048 nodes on 384 switches."""


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return built(tmp_path_factory.mktemp("fabric"), discovered(LARGE))


def cpu(call):
    call()
    return median(timed(call, clock=time.process_time) for _ in range(3))


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_engines(record, network, engine):
    seconds = cpu(lambda: compute_tables(network, engine.name))
    record(f"tables by {engine.name}: 2,048 hosts, 384 switches", f"{seconds_text(seconds)} of CPU")
    assert seconds < 1


def test_written_tables(record, network):
    tables = compute_tables(network, "sssp")
    seconds = cpu(lambda: dump_of(tables, network))
    record("tables written for OpenSM: 384 switches with 2,432 LIDs", f"{seconds_text(seconds)} of CPU")
    assert seconds < 2
