"""What to move must be found while its user waits: limits of a quiet machine of two cores, with room to spare."""

import pytest

from core.job import Halo, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.load.swap_suggestions import suggest_swaps
from core.mapping import ModColour, RowOrColumn
from core.network import Percs
from core.routing import PercsDirect


@pytest.mark.parametrize(
    ("name", "limit", "scenario"),
    [
        ("(32,4) halo direct", 1.0, Scenario(Percs(32, 4), Halo(64, 64), ModColour(), PercsDirect())),
        ("(512,1) halo direct", 3.0, Scenario(Percs(512, 1), Halo(256, 256), ModColour(), PercsDirect())),
        ("(512,1) transpose", 4.0, Scenario(Percs(512, 1), Transpose(256, 256), RowOrColumn(), PercsDirect())),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_search_for_single_swaps(benchmark, capsys, name, limit, scenario):
    report = evaluate(scenario.build())
    advice = benchmark.pedantic(suggest_swaps, args=(report,), rounds=2, warmup_rounds=1)
    median = benchmark.stats.stats.median
    with capsys.disabled():
        print(f"\n    {name}: {advice.tried:,} swaps tried in {median:.2f} s (limit {limit} s)")
    assert median < limit
