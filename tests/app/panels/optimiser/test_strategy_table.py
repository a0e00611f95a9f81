"""Comparison of all declared mappings in the optimiser: evaluated, sorted, chosen by a double click."""

from app.panels.optimiser.strategy_table import StrategyTable
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import DimensionOrder

SCENARIO = Scenario(Torus((8, 8), slots_per_node=2), Halo(8, 16), Random(seed=1), DimensionOrder())


def test_fastest_strategy_is_first_and_can_be_chosen(session_of, show):
    session = session_of(SCENARIO)
    table = show(StrategyTable(session), 420, 260)
    first = table.results[0]
    assert table.table.model().rowCount() == len(table.results) > 5
    assert first.throughput_gbs > session.state.report.throughput_gbs
    table.table.activated.emit(table.table.view_index(0))
    assert session.state.wanted.mapping == first.strategy
    assert session.state.report.throughput_gbs == first.throughput_gbs


def test_strategies_are_evaluated_again_for_another_job_but_not_for_another_mapping(session_of, show):
    session = session_of(SCENARIO)
    table = show(StrategyTable(session), 420, 260)
    before = table.results
    session.choose("mapping", Random(seed=2))
    assert table.results is before
    session.choose("job", Halo(4, 8))
    assert table.results is not before
    assert len(table.results) > 5
