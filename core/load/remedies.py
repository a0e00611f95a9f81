"""Changes that make a scenario fit its network, each tried in advance and named after its effect."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from math import prod
from typing import NamedTuple

from msgspec import structs

from core.load.compatibility import fitted, room
from core.load.fit_changes import fit_changes, in_words, sentence
from core.load.scenario import Scenario
from core.mapping.mapping import Mapping
from core.network.network import Network, NetworkSpec
from core.spec import Progress, SpecError, fields_of, no_progress
from core.text import plural

TASKS_PER_NODE = "slots_per_node"
LARGER = (1.0, 1.25, 1.5, 2.0, 4.0)
"""Factors by which the wanted number of nodes is exceeded, since families come only in some sizes."""


class Remedy(NamedTuple):
    """A scenario that can be built, and how it differs from the refused one."""

    title: str
    """``Use 4 tasks per node``."""
    scenario: Scenario
    note: str = ""
    """All other choices that change with it, as a sentence."""


def remedies(wanted: Scenario, drawn: Mapping | None, progress: Progress = no_progress) -> tuple[Remedy, ...]:
    """Return changes that make a refused scenario fit: of job, mapping and routing, or of the network.

    For `drawn` see `core.load.compatibility.fitted`.

    Raises Cancelled: when `progress` does, which reports each search for a mapping from 0 to 1.
    """
    fitting: tuple[Remedy, ...] = ()
    with suppress(SpecError):
        case = fitted(wanted, drawn, progress).build(progress=progress)
        changes = [change for change in fit_changes(wanted, drawn, case) if change.command]
        fitting = tuple(Remedy(sentence(change.command), case.scenario, in_words(changes)) for change in changes[:1])
    return (*fitting, *larger_networks(wanted, drawn, progress))


def larger_networks(wanted: Scenario, drawn: Mapping | None, progress: Progress = no_progress) -> tuple[Remedy, ...]:
    """Return networks with room for all tasks of a job that is too large for its network; arguments as above.

    Raises Cancelled: when `progress` does.
    """
    try:
        tasks, (network, slots) = wanted.job.build(wanted.folder).tasks, room(wanted, progress)
    except SpecError:
        return ()
    if tasks <= slots:
        return ()
    offers = (
        ("Use {0.slots_per_node:,} tasks per node", _more_per_node(wanted.network, network, slots, tasks)),
        ("Grow to {1}", _grown(wanted.network, network, slots, tasks)),
    )
    return tuple(remedy for title, specs in offers for remedy in _first(wanted, drawn, title, specs, progress))


def _first(
    wanted: Scenario, drawn: Mapping | None, title: str, specs: Iterator[NetworkSpec], progress: Progress
) -> tuple[Remedy, ...]:
    # The first network on which the entire job can be built.
    for spec in specs:
        with suppress(SpecError):
            scenario = fitted(replace(wanted, network=spec), drawn, progress)
            if scenario.job == wanted.job:
                case = scenario.build(progress=progress)
                note = in_words(fit_changes(replace(wanted, network=spec), drawn, case))
                return (Remedy(title.format(case.network, _size(case.network)), scenario, note),)
    return ()


def _more_per_node(spec: NetworkSpec, network: Network, slots: int, tasks: int) -> Iterator[NetworkSpec]:
    field = next((field for field in fields_of(type(spec)) if field.name == TASKS_PER_NODE), None)
    count = -(-tasks * network.slots_per_node // slots)
    if field is not None and count <= (field.high or count):
        yield structs.replace(spec, **{TASKS_PER_NODE: count})


def _grown(spec: NetworkSpec, network: Network, slots: int, tasks: int) -> Iterator[NetworkSpec]:
    nodes = -(-tasks // network.slots_per_node) if slots == network.slots else 0  # else nodes would need an allocation
    for factor in LARGER if nodes else ():
        grown = spec.sized(round(nodes * factor))
        if grown != spec:
            yield grown


def _size(network: Network) -> str:
    # The sides of a grid as 64 × 64, or else the number of nodes.
    values = (value for value in structs.astuple(network.spec) if isinstance(value, tuple))
    sides = next((value for value in values if value and prod(value) == network.real_nodes), None)
    return " × ".join(f"{side:,}" for side in sides) + " nodes" if sides else plural(network.real_nodes, "node")
