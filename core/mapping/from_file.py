"""Mappings from files of launchers and partitioners."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from core.formats import choice_of_format
from core.job.job import Job
from core.mapping.allocation import Allocation
from core.mapping.mapping import Mapping, MappingSpec
from core.network.network import Network, TasksPerNode
from core.spec import Progress, declare

File = Annotated[
    str,
    declare(
        "File",
        "file in the scenario's folder, such as a rankfile, hostfile or rank order of a launcher",
        is_file=True,
        max_length=1024,
    ),
]

if TYPE_CHECKING:
    Format = str
else:
    Format = choice_of_format("mapping")


class FromFile(MappingSpec, frozen=True, tag="file"):
    """From a file: the placement in a launcher's rankfile, hostfile or rank order."""

    title: ClassVar[str] = "From a file"
    sees = "slots"

    file: File | None = None
    format: Annotated[Format, declare("Format", "format of the file (auto: detected from the content)")] = "auto"
    ranks_per_node: Annotated[
        TasksPerNode | None,
        declare(
            "Ranks per node", "ranks per node, for files without nodes such as MPICH_RANK_ORDER (default: all slots)"
        ),
    ] = None

    @property
    def unused(self) -> frozenset[str]:
        """Return the ranks per node, if the file determines them."""
        return frozenset() if self.format in ("auto", "mpich-rank-order") else frozenset({"ranks_per_node"})

    def summary(self) -> str:
        """Return the file's name."""
        return f"placement from {self.file}" if self.file else "no file chosen"

    def on(
        self, job: Job, network: Network, allocation: Allocation | None, folder: Path | None, progress: Progress
    ) -> Mapping:
        """Return the mapping in the file.

        Raises SpecError: if it is missing or invalid.
        """
        from core.mapping.formats import read_mapping  # a dozen readers that most scenarios do not need
        from core.mapping.formats.ranks import LaunchNodes

        hosts = network.host_slots
        job_hosts = np.arange(hosts.count, dtype=np.int32) if allocation is None else hosts.hosts_of(allocation.nodes)
        machine = LaunchNodes(network, job_hosts, job.tasks, self.ranks_per_node or int(hosts.room.max()))
        return read_mapping(self.file, folder, self.format, machine)
