"""Mapping files of launchers and partitioners, one module per format."""

import re
from collections.abc import Callable
from pathlib import Path

from core.exported import Writer
from core.filekind import BINARY, JSON, START, refusal, tool_in
from core.mapping.formats.bgq_map import read_bgq_map, write_bgq_map
from core.mapping.formats.flux_taskmap import read_taskmap, write_taskmap
from core.mapping.formats.fujitsu_vcoord import read_vcoord, write_vcoord
from core.mapping.formats.hydra_machinefile import read_hydra, write_hydra
from core.mapping.formats.mpich_rank_order import read_rank_order, write_rank_order
from core.mapping.formats.openmpi_hostfile import read_openmpi_hostfile, write_openmpi_hostfile
from core.mapping.formats.openmpi_rankfile import read_rankfile, write_rankfile
from core.mapping.formats.permutation import read_permutation, write_permutation
from core.mapping.formats.poe_host_list import read_poe_host_list
from core.mapping.formats.ranks import FIELD, LaunchNodes, RankPlacement, check_lines, lines_of, slots_of_ranks, wrong
from core.mapping.formats.scotch_map import read_scotch_map, write_scotch_map
from core.mapping.formats.slurm_hostfile import read_slurm_hostfile, write_host_of_each
from core.mapping.formats.task_geometry import read_task_geometry, write_task_geometry
from core.mapping.mapping import Mapping
from core.spec import file_beside, parsing, text_of

READERS: dict[str, Callable[[str, LaunchNodes], RankPlacement]] = {
    "openmpi-rankfile": read_rankfile,
    "mpich-rank-order": read_rank_order,
    "slurm-hostfile": read_slurm_hostfile,
    "hydra-hosts": read_hydra,
    "hostfile": read_openmpi_hostfile,
    "bgq-map": read_bgq_map,
    "task-geometry": read_task_geometry,
    "poe-host-list": read_poe_host_list,
    "vcoord": read_vcoord,
    "flux-taskmap": read_taskmap,
    "scotch-map": read_scotch_map,
    "permutation": read_permutation,
}
WRITERS = {
    "openmpi-rankfile": Writer(write_rankfile, "hosts and cores for Open MPI 4 (mpirun --rankfile FILE)", ".txt"),
    "prrte-rankfile": Writer(write_rankfile, "the same for Open MPI 5 (mpirun --map-by rankfile:file=FILE)", ".txt"),
    "mpich-rank-order": Writer(write_rank_order, "ranks node by node for Cray MPICH (MPICH_RANK_REORDER_METHOD=3)", ""),
    "slurm-hostfile": Writer(
        write_host_of_each, "host of each rank for Slurm (SLURM_HOSTFILE=FILE srun --distribution=arbitrary)", ".txt"
    ),
    "hostfile": Writer(
        write_openmpi_hostfile, "ranks that each host takes, for Open MPI (mpirun --hostfile FILE)", ".txt"
    ),
    "hydra-hosts": Writer(write_hydra, "hosts of successive ranks for MPICH (mpiexec -f FILE)", ".txt"),
    "bgq-map": Writer(write_bgq_map, "coordinates and core of each rank for Blue Gene (runjob --mapping FILE)", ".map"),
    "task-geometry": Writer(write_task_geometry, "ranks of each node for LoadLeveler and LSF", ".txt"),
    "poe-host-list": Writer(write_host_of_each, "host of each rank for POE (MP_HOSTFILE=FILE)", ".list"),
    "vcoord": Writer(write_vcoord, "coordinates of each rank for Fujitsu's MPI (mpiexec --vcoordfile FILE)", ".txt"),
    "flux-taskmap": Writer(write_taskmap, "nodes of successive ranks for Flux (--taskmap=manual:MAP)", ".json"),
    "scotch-map": Writer(write_scotch_map, "slot of each rank as Scotch maps", ".map"),
    "permutation": Writer(write_permutation, "slot of each rank as METIS parts, a line each", ".txt"),
}
MAX_BYTES = 64 << 20
EXPECTED = "give a launcher's rankfile, hostfile, rank order or map, or a list of slots"
BEGINNINGS = (
    (r"[\[{]", "flux-taskmap"),
    (r"([^\s:]+[ \t]*\n)*[^\s:]+:\d", "hydra-hosts"),
    (r"!", "poe-host-list"),
    (r"\d+(-\d+)?\s*,", "mpich-rank-order"),
    (r"\d+([ \t]+\d+){3}([ \t]+\d+){0,2}\s*$", "bgq-map"),
    (r"\d+\s*\n\s*\d+[ \t]+-?\d+\s*$", "scotch-map"),
    (r"\d+\s*$", "permutation"),
)
"""Patterns of the first lines without comments, for formats that could be confused."""
NAMED = "numbers are read as names, since hosts are called so; as slots with the format permutation"


def read_mapping(name: str | None, folder: Path | None, form: str, machine: LaunchNodes) -> Mapping:
    """Read the mapping in the file `name` of `folder`; "auto" detects the format.

    Raises SpecError: if the file is missing, too large or invalid; the message says where.
    """
    path = file_beside(FIELD, name, folder, MAX_BYTES)
    with parsing(FIELD, path, "a mapping"):
        found = _format_of(path) if form == "auto" else form
        named = form == "auto" and found == "permutation" and "".join(machine.network.hosts[:1]).isdigit()
        found = "slurm-hostfile" if named else found
        text = text_of(FIELD, path).replace("\r\n", "\n").replace("\r", "\n")
        check_lines(text, machine)
        ranks = READERS[found](text, machine)
        slots = slots_of_ranks(ranks, machine)
    return Mapping(slots, machine.network.slots_per_node, ranks.warnings + (NAMED,) * named)


def _format_of(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(START)
    if path.name.startswith("MPICH_RANK_ORDER"):
        return "mpich-rank-order"
    if path.suffix == ".list":
        return "poe-host-list"
    tool = tool_in(start)
    if tool is not None and tool.choice == "mapping":
        return tool.form
    why = refusal(start, path.name, EXPECTED)
    if why and BINARY not in why and JSON not in why:  # of a file that is nearly text a message names the line
        raise wrong(why)
    text = "\n".join(
        line for _, line in lines_of(start.decode("utf-8-sig", "replace").replace("\r", "\n"), "#", "//", "%")
    )
    return next((form for begins, form in BEGINNINGS if re.match(begins, text, re.MULTILINE)), "slurm-hostfile")
