"""The cables whose addition to the network on screen helps most, and how far the search for them is. No Qt."""

from dataclasses import dataclass, replace

from core.figures.added_cables import CableFigures, figures_of
from core.load.best_cables import best_cables
from core.load.evaluate import LoadReport
from core.load.snapshots import bare
from core.network import AddedCable
from core.spec import Progress, SpecError

MOST = 8
"""Maximum number of cables in one search."""


@dataclass(frozen=True, eq=False)
class CableSearch:
    """Cables one after the other, each the best in addition to all before it."""

    report: LoadReport
    """The loads without the cables, which identifies the scenario."""
    last: LoadReport
    """The loads with all of them."""
    rows: tuple[CableFigures, ...] = ()
    exhausted: bool = False
    """Whether no further cable helps."""

    @classmethod
    def begun(cls, report: LoadReport) -> "CableSearch":
        """Return a search without cables so far."""
        return cls(report, report)

    @property
    def cables(self) -> tuple[AddedCable, ...]:
        """Return the cables for `Scenario.cables`."""
        return tuple(row.added for row in self.rows)

    def continued(self, progress: Progress) -> "CableSearch":
        """Return the search with one more cable, or exhausted.

        Raises SpecError: if the routing cannot use added cables, or the network is aggregated or too large. Raises
        Cancelled: when `progress` does.
        """
        best = next(best_cables(self.last, 1, progress), None)
        if best is None:
            return replace(self, exhausted=True)
        return replace(self, last=best.report, rows=(*self.rows, figures_of(best, self.last.throughput_gbs)))

    def added_in(self, report: LoadReport) -> int | None:
        """Return how many of the cables, from the first on, a report's scenario has.

        None if it is another scenario.
        """
        if self.report is report:
            return 0
        before, now = bare(self.report.case.scenario), bare(report.case.scenario)
        count = len(now.cables) - len(before.cables)
        if not 0 <= count <= len(self.rows):
            return None
        extended = replace(before, cables=(*before.cables, *self.cables[:count]))
        return count if extended == now else None


@dataclass(frozen=True, slots=True, eq=False)
class CableState:
    """The cables to add to the network on screen."""

    count: int = 1
    """The number of cables to search for next."""
    search: CableSearch | None = None
    """The last search that has a result."""
    progress: float | None = None
    """Fraction done of the search under way."""
    refused: SpecError | None = None
    """Why the last search failed."""
