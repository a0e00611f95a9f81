"""Cases under other forwarding tables."""

from dataclasses import replace

from msgspec import structs

from core.load.scenario import Case
from core.routing import Tables, with_faults
from core.routing.tables.fabric import fabric_of
from core.routing.tables.forwarding import ForwardingTables
from core.routing.tables.scheme import TableRouter

FORMAT = "opensm-lfts"
"""Format of the files of resulting tables."""


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
