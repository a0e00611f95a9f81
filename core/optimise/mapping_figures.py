"""An objective's figure for any mapping, as computed by a search, for comparison with its result."""

from collections.abc import Sequence

from core.load.evaluate import LoadReport
from core.mapping.mapping import Slots
from core.network import AnyFault
from core.optimise.method import Portfolio
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Objective
from core.optimise.problem import Problem
from core.optimise.search import Search


class MappingFigures:
    """Figures of mappings of one case; a mix is relative to the report's mapping."""

    def __init__(self, report: LoadReport, objective: Objective, failures: Sequence[AnyFault] = ()) -> None:
        problem = Problem.of(report, objective, failures)
        self._search = Search(problem, Portfolio(), MoveConstraints(), seed=0, with_restarts=False)

    def of(self, slots: Slots) -> float:
        """Return the figure of a mapping that disconnects nothing."""
        return self._search.figure_of(slots)
