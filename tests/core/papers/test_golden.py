"""Fast reproduced tables give the recorded figures, and their progress rises."""

import pytest

from tests.core.papers.golden_tables import FAST, GOLDEN, assert_golden


@pytest.mark.parametrize(("name", "table"), [(name, table) for name, tables in FAST.items() for table in tables])
def test_figures_match_the_recorded_figures(name, table):
    assert_golden(name, table)


def test_fast_tables_are_recorded():
    assert all(set(tables) <= set(GOLDEN[name]) for name, tables in FAST.items())
