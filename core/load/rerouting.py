"""Cases under other forwarding tables, and new tables around faults, as a subnet manager computes them."""

from dataclasses import replace

from msgspec import structs

from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Case
from core.network import AnyFault
from core.routing import Tables, with_faults
from core.routing.tables.engines import compute_tables
from core.routing.tables.fabric import fabric_of
from core.routing.tables.forwarding import ForwardingTables
from core.routing.tables.scheme import TableRouter
from core.spec import Progress, no_progress, subprogress

FORMAT = "opensm-lfts"
"""Format of the files of resulting tables."""
TABLES_PART = 0.9
"""Fraction of the progress of an evaluation for the tables."""


def tables_in(case: Case, file: str | None) -> Tables:
    """Return the routing by a file of resulting tables, with the LIDs that the case uses."""
    routing = case.scenario.routing
    own = routing if isinstance(routing, Tables) else Tables()
    return structs.replace(own, file=file, format=FORMAT)


def with_tables(case: Case, tables: ForwardingTables, file: str | None = None) -> Case:
    """Return the case routed by tables, which `file` holds."""
    routing, failed = tables_in(case, file), case.gbs <= 0
    fabric, notes = fabric_of(case.network, tables, routing.lids == "all")
    router = TableRouter(case.network, fabric)
    router.tables, router.contents, router.warnings = tables, (tables.summary,), notes
    complete = case.network.connected and router.complete and not failed.any()
    routed = router if complete else with_faults(router, failed)
    others = tuple(replace(other, router=routed) for other in case.neighbours.cases)
    neighbours = replace(case.neighbours, cases=others) if others else case.neighbours
    scenario = replace(case.scenario, routing=routing)
    return replace(case, scenario=scenario, router=routed, neighbours=neighbours)


def route_again(case: Case, engine: str, progress: Progress = no_progress) -> ForwardingTables:
    """Return the tables that a routing engine computes for the network of a scenario without its failed links.

    Raises SpecError: if the engine is unknown or does not support the network, or the network has no LIDs. Raises
    Cancelled: when `progress` does.
    """
    return compute_tables(case.network, engine, None if case.faults is None else case.faults.failed, progress)


def evaluate_rerouted(case: Case, engine: str, progress: Progress = no_progress) -> LoadReport:
    """Return the loads of a case under the tables that a routing engine computes around its failed links.

    Raises SpecError: as `route_again`. Raises Cancelled: when `progress` does.
    """
    tables = route_again(case, engine, subprogress(progress, 0, TABLES_PART))
    return evaluate(with_tables(case, tables), subprogress(progress, TABLES_PART, 1))


class ReroutedFailures:
    """Evaluates failures like `core.load.failures.Failures`, but an engine computes new tables after each."""

    def __init__(self, report: LoadReport, engine: str) -> None:
        self.report, self.engine = report, engine

    def with_failure(self, *failed: AnyFault, progress: Progress = no_progress) -> LoadReport:
        """Return the report of the scenario with further faults.

        Raises SpecError: naming the field, if a component does not exist. Raises Cancelled: when `progress` does.
        """
        before = self.report.case
        faults = (*before.scenario.faults, *failed)
        return evaluate_rerouted(replace(before.scenario, faults=faults).build(before=before), self.engine, progress)
