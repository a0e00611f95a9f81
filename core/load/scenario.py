"""A scenario: the four choices, and what is broken. Built, they make a `Case` that can be evaluated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job, JobSpec, Phase
from core.mapping.mapping import Mapping, MappingSpec
from core.network.faults import AnyFault, Faults
from core.network.network import Network, NetworkSpec
from core.routing import around, sound
from core.routing.routing import NodeFlows, Router, RoutingSpec
from core.spec import Progress

CHOICES = ("network", "job", "mapping", "routing")


@dataclass(frozen=True)
class Scenario:
    """The four choices of a study, as a scenario file holds them."""

    network: NetworkSpec
    job: JobSpec
    mapping: MappingSpec
    routing: RoutingSpec
    note: str = ""
    folder: Path | None = None
    """Where files named by the job lie."""
    faults: tuple[AnyFault, ...] = ()
    """What is broken or slow; the network itself stays the same."""
    snapshots: "tuple[Snapshot, ...]" = ()
    """States kept under a name, in the order in which they were taken."""

    def build(self, before: "Case | None" = None) -> "Case":
        """Return the built scenario; parts whose choice is that of `before` are taken from it.

        Raises SpecError: naming the field that cannot be, or the pair that does not fit.
        """
        old = before.scenario if before is not None else None
        same_network = old is not None and (old.network, old.folder) == (self.network, self.folder)
        same_job = old is not None and (old.job, old.folder) == (self.job, self.folder)
        network = before.network if before is not None and same_network else self.network.build(self.folder)
        job = before.job if before is not None and same_job else self.job.build(self.folder)
        kept = before is not None and same_network and same_job and old is not None and old.mapping == self.mapping
        mapping = before.mapping if before is not None and kept else self.mapping.build(job, network)
        same_routing = same_network and old is not None and old.routing == self.routing
        router = sound(before.router) if before is not None and same_routing else self.routing.router(network)
        faults = self._faults(network, before)
        if faults is not None and faults.any_failed:
            kept_router = before is not None and same_routing and _fail_alike(before.faults, faults)
            router = before.router if before is not None and kept_router else around(router, faults.failed)
        return Case(self, network, job, mapping, router, faults)

    def _faults(self, network: Network, before: "Case | None") -> Faults | None:
        if not self.faults:
            return None
        if before is not None and before.network is network and before.scenario.faults == self.faults:
            return before.faults
        return Faults.of(network, self.faults)

    def with_choice(self, choice: str, spec: Any) -> "Scenario":
        """Return the scenario with one of the four `CHOICES` replaced."""
        changed: Scenario = replace(self, **{choice: spec})
        return changed


@dataclass(frozen=True)
class Snapshot:
    """A state kept under a name beside the one that is worked on."""

    name: str
    kept: Scenario
    """The choices alone: without note, folder and snapshots, which belong to the file."""


def _fail_alike(old: Faults | None, new: Faults) -> bool:
    return old is new or (old is not None and np.array_equal(old.failed, new.failed))


@dataclass(frozen=True, eq=False)
class Case:
    """A built scenario."""

    scenario: Scenario
    network: Network
    job: Job
    mapping: Mapping
    router: Router
    """The scheme; where links have failed, the scheme around them."""
    faults: Faults | None = None
    """None: everything is sound."""

    @property
    def gbs(self) -> NDArray[np.float64]:
        """Return the bandwidth that every link has, shape ``(links,)``, GB/s: less if it is slow, 0 if it failed."""
        return self.network.gbs if self.faults is None else self.faults.gbs

    def node_flows(self, phase: Phase, progress: Progress | None = None) -> Iterator[NodeFlows]:
        """Yield the flows of a phase between nodes, block by block, telling `progress` after each."""
        node = self.mapping.nodes
        for done, block in phase.blocks():
            yield NodeFlows(node[block.src], node[block.dst], block.volume)
            if progress is not None:
                progress(done)
