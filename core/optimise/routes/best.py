"""The best forwarding tables that a search finds, evaluated as if read from a file."""

from core.load.evaluate import LoadReport, evaluate
from core.load.rerouting import with_tables
from core.load.scenario import Case
from core.optimise.best import Best
from core.optimise.request import SearchResult
from core.optimise.routes.problem import start_tables
from core.routing.deadlock.deadlock import deadlock_of
from core.routing.tables.forwarding import ForwardingTables
from core.spec import SpecError


def best_routes(report: LoadReport, result: SearchResult, file: str | None = None) -> Best:
    """Return the result of a search for routes, with its start and its best tables evaluated.

    The start is the report or, if its routing cannot be written as tables, the tables that the search started from.
    """
    assert result.tables is not None
    case = report.case
    first, given = start_tables(case)
    start = report if given else evaluate(with_tables(case, first))
    return Best(start, evaluate(with_tables(case, result.tables, file)), result)


def deadlock_free(case: Case, tables: ForwardingTables) -> bool | None:
    """Return whether all paths by tables are free of deadlocks on one lane; None if hosts have several paths."""
    try:
        return deadlock_of(with_tables(case, tables).router).free
    except SpecError:
        return None
