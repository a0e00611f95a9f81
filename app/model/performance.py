"""The throughput of a state, and the earlier throughput that it is compared with."""

from typing import NamedTuple

from app.wording.names import in_sentence
from core.job.measure import UNITS, Measure
from core.load.evaluate import LoadReport
from core.load.scenario import Scenario
from core.mapping.explicit import Explicit

LAST_CHANGE = "the last change"


class Performance(NamedTuple):
    """The throughput of a state."""

    gbs: float | None = None
    """Throughput per node; None if nothing is loaded."""
    seconds: float | None = None
    """The time shown with it for traced flows (`LoadReport.seconds`)."""
    measure: Measure = UNITS
    """The unit of the job's volumes and of its throughput (`Measure.rate`)."""
    cut: float = 0.0
    """Disconnected volume; it loads nothing."""

    @classmethod
    def of(cls, report: LoadReport) -> "Performance":
        """Return the performance of a load report."""
        return cls(report.throughput_gbs, report.seconds, report.case.job.measure, report.disconnected.volume)


class Baseline(NamedTuple):
    """The earlier throughput that the current one is compared with."""

    performance: Performance
    name: str
    """The choice that differs, or `LAST_CHANGE`."""


def baseline_of(report: LoadReport, scenario: Scenario) -> Baseline:
    """Return the baseline of a scenario's throughput from an earlier report."""
    old = report.case.scenario
    changed = scenario.changed_choices(old)
    name = LAST_CHANGE
    # An explicit mapping has no informative name.
    by_hand = changed == ["mapping"] and isinstance(old.mapping, Explicit)
    if len(changed) == 1 and not by_hand and getattr(old, changed[0]).title != getattr(scenario, changed[0]).title:
        name = in_sentence(getattr(old, changed[0]).title)
    return Baseline(Performance.of(report), name)
