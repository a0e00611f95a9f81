"""Makes the choices of a scenario compatible again after one has changed, changing few of the others."""

from contextlib import suppress
from dataclasses import replace
from math import isqrt
from pathlib import Path
from typing import cast
from weakref import WeakKeyDictionary

from core.job.job import MAX_FLOWS, Job, JobSpec
from core.load.link_load import fitting_loads
from core.load.scenario import MAPPING_PART, Scenario, check_flows
from core.mapping import Sequential
from core.mapping.allocation import Allocation, filled_nodes
from core.mapping.carried import carried, kept_tasks
from core.mapping.explicit import Explicit
from core.mapping.mapping import Mapping, MappingSpec, check_room
from core.network.added_cables import fitting_cables, with_cables
from core.network.faults import fitting_faults
from core.network.hosts import named, with_sockets
from core.network.network import Network
from core.routing import AnyRouting, Minimal, default_routing
from core.routing.router import RoutingSpec
from core.spec import Progress, SharedProgress, Spec, SpecError, fields_of, lacks_file, members, no_progress


def fitted(scenario: Scenario, drawn: Mapping | None = None, progress: Progress = no_progress) -> Scenario:
    """Return the scenario with routing, job and mapping adapted to its network, if they do not fit.

    The routing becomes its alternative (`RoutingSpec.alternative`), or else the first scheme that routes the network.
    The job is resized to fill the slots, or one connected component, if it cannot be built or has too many tasks. A
    custom mapping is carried over (`core.mapping.carried`), any other that does not fit becomes its family's default,
    or else sequential. Faults, loads and cables of missing components are dropped, and so are references to missing
    nodes, and the background jobs if they do not fit as they are.

    `drawn` is the mapping of the scenario's job on the former network; None if unknown: slots then belong to this
    network.

    Raises SpecError: if the network cannot be built, or the job neither fits nor has another size. Raises Cancelled:
    when `progress` does, which only strategies that search report.
    """
    shared = SharedProgress(progress)
    network = scenario.network.build(scenario.folder)
    scenario, network, allocation = _with_nodes(scenario, network, shared)
    job_spec = fitting_job(scenario.job, network, allocation, scenario.folder)
    job = job_spec.build(scenario.folder)
    try:
        check_flows(job, network)
    except SpecError:
        job_spec = job_spec.resized(isqrt(MAX_FLOWS))
        job = job_spec.build(scenario.folder)
    cables = fitting_cables(network, scenario.cables)
    extended = with_cables(network, cables)
    return replace(
        scenario,
        job=job_spec,
        mapping=_fitting_mapping(scenario, drawn, job, network, allocation, shared),
        routing=_fitting_routing(scenario.routing, extended),
        cables=cables,
        faults=fitting_faults(extended, scenario.faults),
        background=fitting_loads(extended, scenario.background),
    )


def room(scenario: Scenario, progress: Progress = no_progress) -> tuple[Network, int]:
    """Return the network, and the number of slots that a fitted scenario has for its job.

    Raises SpecError: if the network cannot be built. Raises Cancelled: when `progress` does.
    """
    shared = SharedProgress(progress)
    _, network, allocation = _with_nodes(scenario, scenario.network.build(scenario.folder), shared)
    return network, _slots(network, allocation)


def _slots(network: Network, allocation: Allocation | None) -> int:
    return network.slots if allocation is None else allocation.slots


def _with_nodes(
    scenario: Scenario, network: Network, shared: SharedProgress
) -> tuple[Scenario, Network, Allocation | None]:
    # Drop host names that do not match the nodes, counters of other links, and references to missing nodes.
    if scenario.cores:
        try:
            network = with_sockets(network, scenario.cores)
        except SpecError:
            scenario = replace(scenario, cores=0)
    if scenario.hosts is not None:
        try:
            network = named(network, scenario.hosts, scenario.folder)
        except SpecError:
            scenario = replace(scenario, hosts=None)
    if scenario.measured is not None:
        try:
            scenario.measured.build(network, scenario.folder)
        except SpecError:
            scenario = replace(scenario, measured=None)
    own_nodes = _own_nodes(scenario, network, shared)
    if own_nodes is not None:
        return scenario, network, own_nodes
    scenario = replace(scenario, neighbours=())
    try:
        return scenario, network, Allocation.of(network, scenario.allocation, scenario.down)
    except SpecError:
        return replace(scenario, allocation="", down=()), network, None


def _own_nodes(scenario: Scenario, network: Network, shared: SharedProgress) -> Allocation | None:
    # The nodes that background jobs leave to the job, regardless of its size, or None if there are no background jobs,
    # or they do not fit this network.
    if not scenario.neighbours or network.aggregation > 1:
        return None
    try:
        jobs = [neighbour.job.build(scenario.folder) for neighbour in scenario.neighbours]
        own, *others = scenario.allocations(network, [1, *(job.tasks for job in jobs)])
        for neighbour, job, nodes in zip(scenario.neighbours, jobs, others, strict=True):
            neighbour.mapping.build(job, network, nodes, scenario.folder, shared.part(MAPPING_PART))
    except SpecError:
        return None
    return own


def fitting_job(spec: JobSpec, network: Network, allocation: Allocation | None, folder: Path | None) -> JobSpec:
    """Return the job if it fits its slots, else the same pattern in a size without disconnected flows.

    That size fills the slots, or those in one connected component of the network (`filled_nodes`).
    """
    with suppress(SpecError):
        if spec.build(folder).tasks <= _slots(network, allocation):
            return spec
    return spec.resized(_slots(network, filled_nodes(0, network, allocation)))


def _fitting_mapping(
    scenario: Scenario,
    drawn: Mapping | None,
    job: Job,
    network: Network,
    allocation: Allocation | None,
    shared: SharedProgress,
) -> MappingSpec:
    spec, family = scenario.mapping, type(scenario.mapping)
    check_room(job, network, allocation)
    if isinstance(spec, Explicit):
        drawn = drawn or Mapping(spec.slots.array, network.slots_per_node, cores_per_rank=spec.cores_per_rank)
    else:
        for candidate in (spec, family()) if has_defaults(family) else (spec,):
            with suppress(SpecError):
                candidate.build(job, network, allocation, scenario.folder, shared.part(MAPPING_PART))
                return candidate
    if spec.sees != "slots" or drawn is None:
        return Sequential()
    slots = carried(drawn, kept_tasks(_wanted_job(scenario, job), job), network, allocation)
    return Explicit.of(drawn.moved(slots))


def _wanted_job(scenario: Scenario, job: Job) -> Job:
    # The scenario's own job, of which `job` is perhaps another size; `job` if it cannot be built.
    with suppress(SpecError):
        return job if job.spec == scenario.job else scenario.job.build(scenario.folder)
    return job


def _fitting_routing(spec: RoutingSpec, network: Network) -> RoutingSpec:
    usual = [routing for routing in _usual_routings() if not lacks_file(routing)]
    if network.source or network.plain is not None:
        usual.insert(0, default_routing(network))
    for candidate in (spec, *filter(None, [spec.alternative()]), *usual):
        if routing_error(candidate, network) is None:
            return candidate
    # Raises the reason why even this scheme, which routes any network, does not: the network is aggregated.
    Minimal().check(network)
    return Minimal()


_UNROUTABLE: "WeakKeyDictionary[Network, dict[str, str]]" = WeakKeyDictionary()
"""Stores messages, not exceptions, whose tracebacks would keep the network alive."""


def unroutable(network: Network) -> dict[str, str]:
    """Return the error messages of schemes that do not route the network, by tag; computed once."""
    if network not in _UNROUTABLE:
        reasons = {spec.tag(): routing_error(spec, network) for spec in _usual_routings()}
        _UNROUTABLE[network] = {tag: reason.message for tag, reason in reasons.items() if reason is not None}
    return _UNROUTABLE[network]


def routing_error(spec: RoutingSpec, network: Network) -> SpecError | None:
    """Return why a scheme does not route a network, or None if it does."""
    try:
        spec.check(network)
    except SpecError as error:
        return error
    return None


def has_defaults(family: type[Spec]) -> bool:
    """Return whether a family has defaults for all fields."""
    return not any(field.required for field in fields_of(family))


def _usual_routings() -> list[RoutingSpec]:
    return [cast(RoutingSpec, family()) for family in members(AnyRouting) if has_defaults(family)]
