"""Measured intervals as steps of a timeline, compared with sums over links."""

import numpy as np
import pytest

from core.counters.measured import Measured
from core.load.scenario import Scenario
from core.timing.measured import measured_timeline
from tests.app.measured import TORUS

ROWS = "src,dst,bytes"


@pytest.fixture
def case(tmp_path):
    """A torus with counters read four times, of some links."""
    counts = ({(0, 1): 0, (1, 0): 0, (0, 4): 0}, {(0, 1): 3, (1, 0): 1, (0, 4): 0}, {(0, 1): 3, (1, 0): 1, (0, 4): 9})
    for number, of in enumerate((*counts, counts[-1])):
        rows = [f"{src},{dst},{gb}e9" for (src, dst), gb in of.items()]
        (tmp_path / f"{number}.csv").write_text("\n".join([ROWS, *rows]))

    def build(seconds):
        measured = Measured(before="0.csv", between=("1.csv", "2.csv"), after="3.csv", seconds=seconds)
        return Scenario(**TORUS, folder=tmp_path, measured=measured).build()

    return build


@pytest.mark.parametrize("seconds", [12.0, None])
def test_intervals_follow_each_other(case, seconds):
    timed = measured_timeline(case(seconds), case(seconds).measured)
    each = 4.0 if seconds else 1.0
    assert [step.name for step in timed.steps] == ["interval 1", "interval 2", "interval 3"]
    assert [(step.start, step.seconds) for step in timed.steps] == [(k * each, each) for k in range(3)]
    assert timed.timed is (seconds is not None)
    assert timed.total_seconds == seconds
    assert [timed.step_at(part * timed.seconds) for part in (0, 0.3, 0.4, 0.99)] == [0, 0, 1, 2]


def test_links_are_as_busy_as_their_counters_say(case):
    built = case(12.0)
    timed = measured_timeline(built, built.measured)
    for number, interval in enumerate(built.measured.intervals):
        for of, links in enumerate(built.network.classes):
            gb = [
                0 if np.isnan(interval.gb[k]) else interval.gb[k] for k in range(*links.links.indices(timed.load.size))
            ]
            gbs = built.gbs[links.links].tolist()
            assert timed.sent[number, of] == pytest.approx(sum(gb))
            assert timed.busy[number, of] == pytest.approx(max(a / b for a, b in zip(gb, gbs, strict=True)))
    # Links 0 → 1 belong to the second dimension, links 0 → 4 to the first.
    first, second = (links.name for links in built.network.classes)
    assert [step.bottleneck for step in timed.steps] == [second, first, None]
    np.testing.assert_allclose(timed.load, np.nan_to_num(built.measured.gb))
