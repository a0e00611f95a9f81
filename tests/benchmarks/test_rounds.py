"""CLEX's algorithm message by message, as in Tables I and II of its paper; CPU time with compiled kernels."""

from dataclasses import replace
from time import process_time

import pytest

from core.papers.clex_tables import RUNS, simulated
from tests.benchmarks.timing import digits, seconds_text, timed


@pytest.mark.parametrize(("run", "most"), [(RUNS[0], 25), (RUNS[1], 12)], ids=lambda given: getattr(given, "name", ""))
def test_rounds_of_a_table(record, run, most):
    simulated(replace(run, k=4), 1)  # compile
    # No table uses this seed, whose result would be cached.
    spent = timed(simulated, run, 99, clock=process_time)
    messages = run.k**run.levels * run.messages
    each = (
        f"{digits(1e9 * spent / messages / 2 ** (run.levels - 1))} ns of CPU for each of {messages:,} messages per call"
    )
    record(f"{run.title}, drawing and delivering all messages", seconds_text(spent), each)
    assert spent < most
