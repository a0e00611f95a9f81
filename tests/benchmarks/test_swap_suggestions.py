"""The search for the best single swaps, for which the user waits: medians."""

import pytest

from core.job import Halo, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.load.swap_suggestions import suggest_swaps
from core.mapping import ModColour, RowOrColumn
from core.network import Percs
from core.routing import PercsDirect
from tests.benchmarks.timing import medians, seconds_text


@pytest.mark.parametrize(
    ("name", "limit", "scenario"),
    [
        ("Halo direct (32,4)", 1.0, Scenario(Percs(32, 4), Halo(64, 64), ModColour(), PercsDirect())),
        ("Halo direct (512,1)", 3.0, Scenario(Percs(512, 1), Halo(256, 256), ModColour(), PercsDirect())),
        (
            "transpose 256 × 256 (512,1)",
            4.0,
            Scenario(Percs(512, 1), Transpose(256, 256), RowOrColumn(), PercsDirect()),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_search_for_single_swaps(record, name, limit, scenario):
    report = evaluate(scenario.build())
    advice = suggest_swaps(report)
    (median,) = medians(3, lambda: suggest_swaps(report))
    record(f"best single swaps: {name}", seconds_text(median), f"{advice.tried:,} tried")
    assert median < limit
