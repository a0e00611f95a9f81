"""New forwarding tables for a scenario: routing again around its faults."""

from core.load.scenario import Case
from core.routing.tables.engines import compute_tables
from core.routing.tables.forwarding import ForwardingTables
from core.spec import Progress, no_progress


def route_again(case: Case, engine: str, progress: Progress = no_progress) -> ForwardingTables:
    """Return the tables that a routing engine computes for the network of a scenario without its failed links.

    Raises SpecError: if the engine is unknown or does not support the network, or the network has no LIDs. Raises
    Cancelled: when `progress` does.
    """
    return compute_tables(case.network, engine, None if case.faults is None else case.faults.failed, progress)
