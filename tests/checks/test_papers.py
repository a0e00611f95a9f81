"""Reproduced tables that last seconds to minutes; run by ``pytest tests/checks``, not by ``make test``."""

import pytest

from tests.core.papers.golden_tables import FAST, GOLDEN, assert_golden

SLOW = [(name, table) for name, tables in GOLDEN.items() for table in tables if table not in FAST.get(name, ())]


@pytest.mark.parametrize(("name", "table"), SLOW)
def test_figures_equal_the_recorded_ones(name, table):
    assert_golden(name, table)
