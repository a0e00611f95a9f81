"""Background jobs: jobs that run at the same time as the scenario's job, on other nodes and over the same links.

The model: while the job sends all its volume once, each background job does so too, spread evenly over that volume. A
phase that sends a tenth of the job's volume meets a tenth of the background load. So a link that the job uses in a
phase carries

    own load of the phase  +  share of the phase in the job's volume x the neighbours' loads over all their phases,

A phase lasts until the slowest link *that the job uses in it* has carried all of this, and the time t is the sum over
phases. The job does not wait for links that it does not use: jobs that share no link do not slow each other; and
background load counts once in all, however many phases the job has. A phase's share depends on the job alone, not on
its mapping, so the background load of a link is constant while tasks move. Summed over phases a link carries its own
load and the background load, so total loads do not depend on which of the jobs is the scenario's. Each job is routed by
the scenario's routing as if it were alone; planning schemes plan for each separately. Loads of unknown origin, such as
traffic that counters have measured on links, are constant and count in the same way (`core.load.link_load`).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from core.job import AnyJob
from core.job.measure import UNITS, Measure
from core.load.job_identity import JobColour, JobName
from core.mapping import AnyMapping
from core.mapping.allocation import NO_NODE_LEFT, Allocation, nodes_named
from core.network.network import Ints, Network
from core.spec import SpecError
from core.text import plural


class Neighbour(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A background job in a scenario file."""

    name: JobName = ""
    """Name of the job; empty to name it by its pattern."""
    job: AnyJob
    mapping: AnyMapping
    allocation: Annotated[str, Meta(max_length=1 << 20)] = ""
    """Its nodes, in the form of `Scenario.allocation`; if empty, see `divided`."""
    colour: JobColour = 0


def place_of(number: int) -> str:
    """Return the field of a scenario's job by number: empty for 0, the main job, else the neighbour's field."""
    return f"neighbours[{number - 1}]" if number else ""


@contextmanager
def within(place: str) -> Iterator[None]:
    """Prefix the fields of errors with a place such as ``neighbours[0]``."""
    try:
        yield
    except SpecError as error:
        if not place:
            raise
        raise SpecError(f"{place}.{error.field}", error.message) from error


class Wanted(NamedTuple):
    """A job's requirements on the machine."""

    name: str
    allocation: str
    """Requested nodes; empty for nodes that no job has."""
    tasks: int
    slots: Ints | None = None
    """The slots, and so the nodes, of a background job without an allocation whose mapping names slots."""


def divided(network: Network, jobs: Sequence[Wanted], down: Sequence[str]) -> list[Allocation]:
    """Return the nodes of each job, the main job first.

    Jobs without an allocation share the free nodes in order: each background job in turn gets as many as it needs, or
    the nodes that its mapping names, and the first such job all remaining ones. The main job's mapping does not count:
    it changes while tasks are moved, and no other job may move with it.

    Raises SpecError: if two jobs have the same node, or too few are left.
    """
    owner = np.full(network.nodes, -1)
    for number, job in enumerate(jobs):
        if job.allocation:
            with within(place_of(number)):
                _claim(nodes_named("allocation", job.allocation, network), number, owner, network, jobs)
        elif job.slots is not None:
            with within(place_of(number)):
                _claim(_nodes_of(job.slots, network), number, owner, network, jobs)
    for k, text in enumerate(down):
        owner[nodes_named(f"down[{k}]", text, network)] = len(jobs)
    _share_out(network, jobs, owner)
    own = [_own(number, job.allocation, owner, network) for number, job in enumerate(jobs)]
    others = [tuple((jobs[k].name, own[k]) for k in range(len(own)) if k != number) for number in range(len(own))]
    return [Allocation(network, nodes, claimed) for nodes, claimed in zip(own, others, strict=True)]


def _share_out(network: Network, jobs: Sequence[Wanted], owner: NDArray[np.int64]) -> None:
    hosts = network.host_slots
    free = np.setdiff1d(np.arange(hosts.count, dtype=np.int32), hosts.host_of[owner >= 0])
    open_jobs = [number for number, job in enumerate(jobs) if not job.allocation and job.slots is None]
    for number in open_jobs:
        tasks, room = jobs[number].tasks, hosts.room[free]
        needed = int(np.searchsorted(np.cumsum(room), tasks)) + 1
        if needed > free.size:
            needs = plural(-(-tasks // int(hosts.room.max())), network.host_word)
            words = f"{jobs[number].name} needs {needs}, but only {free.size:,} are free"
            with within(place_of(number)):
                raise SpecError("allocation", f"{words}; give the other jobs fewer {network.host_word}s")
        owner[hosts.nodes_of(free[:needed])] = number
        free = free[needed:]
    if open_jobs:
        owner[hosts.nodes_of(free)] = open_jobs[0]


def _claim(nodes: Ints, number: int, owner: NDArray[np.int64], network: Network, jobs: Sequence[Wanted]) -> None:
    taken = nodes[owner[nodes] >= 0]
    if taken.size:
        both = f"both {jobs[owner[taken[0]]].name} and {jobs[number].name}"
        host = network.host_names[network.host_slots.host_of[taken[0]]]
        raise SpecError("allocation", f"{host} is given to {both}; give each node to one job")
    owner[nodes] = number


def _nodes_of(slots: Ints, network: Network) -> Ints:
    # All nodes of their hosts. A slot that does not exist is refused when the mapping is built.
    host, _ = network.host_slots.place_of(np.clip(slots, 0, network.slots - 1))
    return network.host_slots.nodes_of(np.unique(host))


def _own(number: int, text: str, owner: NDArray[np.int64], network: Network) -> Ints:
    all_nodes: Ints = np.arange(network.nodes, dtype=np.int32)
    nodes: Ints = nodes_named("allocation", text, network) if text else all_nodes
    nodes = nodes[owner[nodes] == number]
    if not nodes.size:
        with within(place_of(number)):
            raise SpecError("allocation", NO_NODE_LEFT)
    return nodes


def check_measures(measure: Measure, ours: Measure) -> None:
    """Check that the volumes of two jobs can be added.

    Raises SpecError: naming the measure of each.
    """
    if _counted(measure) != _counted(ours):
        words = f"counts {_counted(measure)} and the other job {_counted(ours)}, which cannot be added on a link"
        raise SpecError("job", f"{words}; give both in bytes (patterns: message_bytes) or both in units")


def _counted(measure: Measure) -> str:
    return "units" if measure == UNITS else "bytes" if measure.timed else "messages"
