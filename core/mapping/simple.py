"""Mappings that depend only on the rank."""

from typing import ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots
from core.network.network import Network
from core.spec import Seed


class Sequential(MappingSpec, frozen=True, tag="sequential"):
    """Sequential: rank r in slot r, the default of most systems."""

    title: ClassVar[str] = "Sequential"

    def place(self, job: Job, network: Network) -> Slots:
        """Return 0, 1, 2, ..."""
        return np.arange(job.tasks, dtype=np.int32)


class Random(MappingSpec, frozen=True, tag="random"):
    """Random: each task in a random slot."""

    title: ClassVar[str] = "Random"

    seed: Seed = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the first slots of a random permutation of all slots."""
        return np.random.default_rng(self.seed).permutation(network.slots)[: job.tasks].astype(np.int32)
