"""File formats of other tools, one record per format: its reader, its writer, and how a file is recognised.

Detection, errors, forms, menus, `fabriscope export --list` and the fuzzing of readers all use this table. A record
names its functions as ``module:function``; modules are imported when they are first used.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import PurePath
from typing import Any, BinaryIO, Literal

Part = Literal["mapping", "job", "network", "routing", "counters", "loads"]
"""A part of a scenario that a file can hold."""
AUTO = "auto"
"""The choice to detect a file's format from its content."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A format. The function `read` returns the package's parsed form, `write` an `Exported`."""

    id: str
    """Name in scenario files, and of the export."""
    part: Part
    title: str = ""
    """Description of a file: ``a DOT graph``."""
    reader: str = ""
    """Module and function that read it; empty if the format is only written."""
    writer: str = ""
    """Module and function that write it; empty if the format is only read."""
    written: str = ""
    """Description of the written file, for the choice of a format."""
    ending: str = ""
    """Suffix of a written file: ``.dot``."""
    exported_as: str = ""
    """Name of the export, if it differs from `id`."""
    begins: str = ""
    """Pattern of the beginning, after any comments; unique among formats and case-insensitive."""
    may_begin: str = ""
    """Pattern of the first lines without comments; excludes only later formats of the same part."""
    inside: bytes = b""
    """Text inside files that may begin with anything, such as the output of a program that uses a library."""
    root: str = ""
    """First element of an XML file."""
    endings: tuple[str, ...] = ()
    """Suffixes of files of this format, if the file holds this part."""
    in_bytes: bool = False
    """Whether volumes are bytes."""
    takes: tuple[str, ...] = ()
    """Fields of a network from a file that the reader takes as keyword arguments, in addition to the path."""
    by_rank: bool = False
    """Whether a trace has a file per rank; the second argument of its reader then finds the other files."""
    job: str = ""
    """Type of the jobs that name files of this format; empty for traced flows and for other parts."""
    called: str = ""
    """Name in lists of readable formats: ``GraphML``; empty if not listed."""
    comment: str = ""
    """A comment line in a written file, with ``{}`` for its text; empty if the format has none."""

    @property
    def kind(self) -> str:
        """Return the name of the export."""
        return self.exported_as or self.id

    @property
    def read(self) -> Callable[..., Any]:
        """Return the reader."""
        return _loaded(self.reader)

    @property
    def write(self) -> Callable[..., Any]:
        """Return the writer."""
        return _loaded(self.writer)


def _loaded(name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    loaded: Callable[..., Any] = getattr(import_module(module), function)
    return loaded


_AFTER_WORDS = r"([^\s=!#]*[ \t]*([!#].*|//.*)?\n)*"
"""Lines of one word each or comments, in formats whose first lines may be plain host names."""
_NETWORK, _JOB, _MAPPING = "core.network.formats", "core.job.traffic", "core.mapping.formats"
_ROUTING, _COUNTERS = "core.routing.tables", "core.counters"
_FABRIC = ("node_of", "leave_out", "unknown_gbs")
_LINES = r"(?:.*\n){0,200}?[ \t]*"
"""Lines before the first that is typical of a format, such as messages on standard error."""
_THEN = r"[ \t]*[,;\t][ \t]*"
"""Between two columns of a header."""
FORMATS = (
    FileFormat("matrix", "job", "a matrix or a list of flows", reader="core.job.matrix_file:read_numbers"),
    FileFormat(
        "monitoring", "job", "an Open MPI monitoring file", f"{_JOB}.monitoring:read_monitoring",
        begins=r"# POINT TO POINT|(.*\n)*?(\[[\d,]+\]<std(out|err)>:\s*)?[EISR](\t\d+){3} bytes\t\d+ msgs sent",
        endings=(".prof",), in_bytes=True, by_rank=True,
    ),
    FileFormat(
        "ipm", "job", "IPM's map_data.txt", f"{_JOB}.ipm:read_ipm", begins=r"# region irank", in_bytes=True,
    ),
    FileFormat(
        "tau", "job", "a TAU profile", f"{_JOB}.tau:read_tau",
        begins=r"\d+ templated_functions", in_bytes=True, by_rank=True,
    ),
    FileFormat(
        "goal", "job", "a GOAL schedule", f"{_JOB}.goal:read_goal",
        begins=r"num_ranks\s", endings=(".goal",), in_bytes=True,
    ),
    FileFormat(
        "otf2", "job", "an OTF2 anchor file", f"{_JOB}.otf2_trace:read_otf2", endings=(".otf2",), in_bytes=True,
    ),
    FileFormat(
        "msccl", "job", "an MSCCL schedule", "core.job.msccl.xml_reader:read_schedule",
        begins=r"(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<algo\s", root="algo", job="msccl",
    ),
    FileFormat(
        "nccl-log", "job", "a log of NCCL", "core.job.nccl.log:communicators_in",
        begins=rf"{_LINES}.*\b[nr]ccl info ", inside=b"CCL INFO ", job="nccl",
    ),
    FileFormat(
        "scotch-graph", "job", "a Scotch graph", f"{_JOB}.partitioner_graphs:read_scotch",
        f"{_JOB}.partitioner_graphs:write_scotch", "traffic between tasks, for Scotch to map on a target",
        ".grf", endings=(".grf",),
    ),
    FileFormat(
        "metis-graph", "job", "a METIS graph", f"{_JOB}.partitioner_graphs:read_metis_flows",
        f"{_JOB}.partitioner_graphs:write_metis_flows",
        "traffic between tasks as edge weights, for METIS and similar partitioners",
        ".graph", endings=(".graph",), comment="% {}",
    ),
    FileFormat(
        "edge-list", "network", "", f"{_NETWORK}.edge_list:read_edge_list",
        f"{_NETWORK}.edge_list:write_edge_list", "network with one link per line: two vertices and GB/s", ".edges",
        endings=(".edges", ".edgelist"), called="an edge list", comment="# {}",
    ),
    FileFormat(
        "graphml", "network", "a GraphML graph", f"{_NETWORK}.graphml:read_graphml",
        f"{_NETWORK}.graphml:write_graphml", "network for graph tools, the only format with one-way links",
        ".graphml", root="graphml", called="GraphML", comment="<!-- {} -->",
    ),
    FileFormat("gexf", "network", "a GEXF graph", f"{_NETWORK}.gexf:read_gexf", root="gexf", called="GEXF"),
    FileFormat(
        "dot", "network", "a DOT graph", f"{_NETWORK}.dot:read_dot", f"{_NETWORK}.dot:write_dot",
        "network for Graphviz", ".dot", begins=r"(strict\s+)?(di)?graph\b[^{]*\{", endings=(".dot", ".gv"),
        called="DOT", comment="// {}",
    ),
    FileFormat(
        "simgrid", "network", "a SimGrid platform", f"{_NETWORK}.simgrid:read_simgrid",
        f"{_NETWORK}.simgrid_zone:write_zone", "platform for SimGrid, with hosts, routers and a route per link",
        ".xml", exported_as="simgrid-xml", root="platform", called="SimGrid", comment="<!-- {} -->",
    ),
    FileFormat(
        "nccl-topology", "network", "a topology file of NCCL", f"{_NETWORK}.nccl:read_nccl_topology", root="system",
        takes=("servers", "fabric", "nvlink_gbs", "numa_gbs"), called="NCCL topology",
    ),
    FileFormat(
        "slurm-conf", "network", "a Slurm topology.conf", f"{_NETWORK}.slurm_conf:read_slurm_conf",
        f"{_NETWORK}.slurm_tree:write_slurm_conf", "tree of switches for Slurm (topology.conf)", ".conf",
        exported_as="slurm-topology-conf",
        begins=r"(switchname|ringname|blockname|aggregatedblock|nodes|switches)=", endings=(".conf",),
        called="topology.conf", comment="# {}",
    ),
    FileFormat(
        "slurm-yaml", "network", "a Slurm topology.yaml", f"{_NETWORK}.slurm_yaml:read_slurm_yaml",
        f"{_NETWORK}.slurm_tree:write_slurm_yaml", "tree of switches, and blocks, for Slurm 25.05 (topology.yaml)",
        ".yaml", exported_as="slurm-topology-yaml",
        begins=r"(---.*\n([ \t]*(#.*)?\n)*)?-\s+topology:", endings=(".yaml", ".yml"), comment="# {}",
    ),
    FileFormat(
        "ibsim", "network", "a network of ibsim", f"{_NETWORK}.infiniband:read_ibnetdiscover",
        begins=rf'{_LINES}hca\s+\d+\s+"', takes=_FABRIC, called="ibsim",
    ),
    FileFormat(
        "ibnetdiscover", "network", "the output of ibnetdiscover", f"{_NETWORK}.infiniband:read_ibnetdiscover",
        begins=rf'{_LINES}((switch|ca|rt)\s+\d+\s+"|(vendid|devid|sysimgguid)=|chassis \d+|non-chassis nodes'
        r"|(sw|ca|rt)\s+\d+\s+\d+\s+0x[\da-f]{16}\s|(switch|ca|router)\s+:\s+0x[\da-f]+ ports)",
        takes=_FABRIC, called="ibnetdiscover",
    ),
    FileFormat(
        "iblinkinfo", "network", "the output of iblinkinfo", f"{_NETWORK}.infiniband:read_iblinkinfo",
        begins=rf"{_LINES}.*\]\s+==\(.*\)==>", takes=_FABRIC, called="iblinkinfo",
    ),
    FileFormat(
        "booksim-anynet", "network", "a BookSim anynet file", f"{_NETWORK}.booksim:read_booksim",
        f"{_NETWORK}.booksim:write_booksim", "network for BookSim, with one router per line", ".anynet",
        begins=r"(router|node) \d+ (router|node) \d+", called="anynet",
    ),
    FileFormat(
        "sst-json", "network", "an SST/macro network", f"{_NETWORK}.sst:read_sst", f"{_NETWORK}.sst:write_sst",
        "network for SST/macro, with the ports of nodes and switches", ".json", begins=r'\{[^{}]*"avg_num_hops"',
        may_begin=r'\{[\s\S]*"(switches|avg_num_hops)"', called="SST",
    ),
    FileFormat(
        "netjson", "network", "a NetJSON network", f"{_NETWORK}.netjson:read_netjson",
        begins=r'\{[^{}]*"type"\s*:\s*"NetworkGraph"', may_begin=r"\{", called="NetJSON",
    ),
    FileFormat(
        "scotch-target", "network", "a Scotch target file", f"{_NETWORK}.scotch_target:read_scotch_target",
        f"{_NETWORK}.scotch_target:write_scotch_target",
        "torus, mesh, hypercube or complete graph, as a target for Scotch",
        ".tgt", begins=r"((torus|mesh)[23x]d|hcub|cmplt|cmpltw|leaf|tleaf|ltleaf|deco|sub)\s+\d", endings=(".tgt",),
    ),
    FileFormat(
        "metis-graph", "network", "a METIS graph", f"{_NETWORK}.metis:read_metis", f"{_NETWORK}.metis:write_metis",
        "unweighted graph for METIS and similar partitioners", ".graph", endings=(".graph",), comment="% {}",
    ),
    FileFormat(
        "openmpi-rankfile", "mapping", "an Open MPI rankfile", f"{_MAPPING}.openmpi_rankfile:read_rankfile",
        f"{_MAPPING}.openmpi_rankfile:write_rankfile", "hosts and cores for Open MPI 4 (mpirun --rankfile FILE)",
        ".txt", begins=r"rank\s+\d+\s*=", comment="# {}",
    ),
    FileFormat(
        "prrte-rankfile", "mapping", writer=f"{_MAPPING}.openmpi_rankfile:write_rankfile",
        written="hosts and cores for Open MPI 5 (mpirun --map-by rankfile:file=FILE)", ending=".txt", comment="# {}",
    ),
    FileFormat(
        "openmpi-sequence", "mapping", "a sequential hostfile of Open MPI",
        f"{_MAPPING}.openmpi_sequence:read_sequence", f"{_MAPPING}.slurm_hostfile:write_host_of_each",
        "host of each rank, without binding, for Open MPI (mpirun --map-by seq --bind-to none --hostfile FILE)", ".txt",
        may_begin=r"[^\s\d,;:]\S*[ \t]+\d+([,-]\d+)+([ \t]|$)", comment="# {}",
    ),
    FileFormat(
        "mpich-rank-order", "mapping", "a Cray MPICH rank order", f"{_MAPPING}.mpich_rank_order:read_rank_order",
        f"{_MAPPING}.mpich_rank_order:write_rank_order",
        "ranks node by node for Cray MPICH (MPICH_RANK_REORDER_METHOD=3)", "", may_begin=r"\d+(-\d+)?\s*,",
        comment="# {}",
    ),
    FileFormat(
        "slurm-hostfile", "mapping", "a Slurm hostfile", f"{_MAPPING}.slurm_hostfile:read_slurm_hostfile",
        f"{_MAPPING}.slurm_hostfile:write_host_of_each",
        "host of each rank for Slurm (SLURM_HOSTFILE=FILE srun --distribution=arbitrary)", ".txt", comment="# {}",
    ),
    FileFormat(
        "hostfile", "mapping", "an Open MPI hostfile", f"{_MAPPING}.openmpi_hostfile:read_openmpi_hostfile",
        f"{_MAPPING}.openmpi_hostfile:write_openmpi_hostfile",
        "number of ranks per host for Open MPI (mpirun --hostfile FILE)", ".txt",
        begins=_AFTER_WORDS + r"[^\s<{\[]\S*[ \t].*\b(slots|count|cpu)([-_]max)?[ \t]*=",
        may_begin=r"([^\s@^]+[ \t]*\n)*(\^|[^\s@]+@)", comment="# {}",
    ),
    FileFormat(
        "hydra-hosts", "mapping", "a Hydra machinefile", f"{_MAPPING}.hydra_machinefile:read_hydra",
        f"{_MAPPING}.hydra_machinefile:write_hydra", "hosts of successive ranks for MPICH (mpiexec -f FILE)", ".txt",
        may_begin=r"([^\s:]+[ \t]*\n)*[^\s:]+:\d", comment="# {}",
    ),
    FileFormat(
        "bgq-map", "mapping", "a Blue Gene map", f"{_MAPPING}.bgq_map:read_bgq_map",
        f"{_MAPPING}.bgq_map:write_bgq_map",
        "coordinates and core of each rank for Blue Gene (runjob --mapping FILE)", ".map",
        may_begin=r"\d+([ \t]+\d+){3}([ \t]+\d+){0,2}\s*$",
    ),
    FileFormat(
        "task-geometry", "mapping", "a task geometry", f"{_MAPPING}.task_geometry:read_task_geometry",
        f"{_MAPPING}.task_geometry:write_task_geometry", "ranks of each node for LoadLeveler and LSF", ".txt",
        begins=r"(#.*\n\s*)*(#\s*@\s*|export\s+|setenv\s+)?(LSB_(PJL_)?)?task_geometry(\s*=|\s+[\"'{])|\{\s*\(\s*\d",
        comment="# {}",
    ),
    FileFormat(
        "poe-host-list", "mapping", "a POE host list", f"{_MAPPING}.poe_host_list:read_poe_host_list",
        f"{_MAPPING}.slurm_hostfile:write_host_of_each", "host of each rank for POE (MP_HOSTFILE=FILE)", ".list",
        begins=_AFTER_WORDS + r"\S+([ \t]+(shared|dedicated|unique|multiple)){1,2}[ \t]*$",
        may_begin=r"!", endings=(".list",), comment="! {}",
    ),
    FileFormat(
        "vcoord", "mapping", "a Fujitsu vcoordfile", f"{_MAPPING}.fujitsu_vcoord:read_vcoord",
        f"{_MAPPING}.fujitsu_vcoord:write_vcoord",
        "coordinates of each rank for Fujitsu's MPI (mpiexec --vcoordfile FILE)", ".txt",
        begins=r"\(\s*\d+(\s*,\s*\d+)*\s*\)([ \t]+core\S+)?[ \t]*$", comment="# {}",
    ),
    FileFormat(
        "flux-taskmap", "mapping", "a Flux taskmap", f"{_MAPPING}.flux_taskmap:read_taskmap",
        f"{_MAPPING}.flux_taskmap:write_taskmap", "nodes of successive ranks for Flux (--taskmap=manual:MAP)", ".json",
        begins=r"""\[\s*\[\s*\d+\s*[],]|\{[^{}]*"map"\s*:|(PMI_process_mapping\s*=\s*)?["']?\(\s*vector\s*,"""
        r"|\d+-\d[\d,-]*;[\d,;-]*$",
        may_begin=r"[\[{]|[\d,-]+;[\d,;-]*\s*$",
    ),
    FileFormat(
        "lsf-hosts", "mapping", "a host list of LSF", f"{_MAPPING}.lsf_hosts:read_lsf_hosts",
        begins=r"(export\s+|setenv\s+)?LSB_(MCPU_)?HOSTS[\s=]",
        may_begin=r"(\S+[ \t]*\n)*[^\s\d,;:]\S*[ \t]+\d+([ \t]|$)",
    ),
    FileFormat(
        "scotch-map", "mapping", "a Scotch map", f"{_MAPPING}.slot_lists:read_scotch_map",
        f"{_MAPPING}.slot_lists:write_scotch_map", "slot of each rank, as written by Scotch", ".map",
        may_begin=r"\d+\s*\n\s*\d+[ \t]+-?\d+\s*$",
    ),
    FileFormat(
        "permutation", "mapping", "a list of slots", f"{_MAPPING}.slot_lists:read_permutation",
        f"{_MAPPING}.slot_lists:write_permutation", "slot of each rank, one per line, as written by METIS", ".txt",
        may_begin=r"\d+\s*$",
    ),
    FileFormat(
        "opensm-lfts", "routing", "a dump of OpenSM's forwarding tables", f"{_ROUTING}.dumps:read_tables",
        f"{_ROUTING}.lft_dump:write_opensm_lfts",
        "forwarding tables of an InfiniBand fabric for OpenSM (opensm -R file -U FILE)", ".lfts",
        begins=rf"{_LINES}unicast lids .*switch lid \d", endings=(".lfts",),
    ),
    FileFormat(
        "dump-fts", "routing", "the output of dump_fts", f"{_ROUTING}.dumps:read_tables",
        begins=rf"{_LINES}unicast lids ", endings=(".fts",),
    ),
    FileFormat(
        "opensm-fdbs", "routing", "a dump of OpenSM's routes", f"{_ROUTING}.dumps:read_tables",
        begins=rf"{_LINES}(\w+:[ \t]*)?switch 0x[\da-f]+[ \t]*\n[ \t]*lid[ \t]*:", endings=(".fdbs",),
    ),
    FileFormat(
        "counters-csv", "counters", "a table of counters", f"{_COUNTERS}.counter_table:read_counter_table",
        begins=rf"guid{_THEN}port{_THEN}|src{_THEN}dst{_THEN}bytes{_THEN}wait\b",
    ),
    FileFormat(
        "perfquery", "counters", "the output of perfquery", f"{_COUNTERS}.perfquery:read_perfquery",
        begins=rf"{_LINES}# port (extended )?counters: ",
    ),
    FileFormat(
        "prometheus", "counters", "Prometheus metrics", f"{_COUNTERS}.prometheus:read_prometheus",
        begins=rf"{_LINES}(# (help|type) )?(node_infiniband|infiniband_(hca|switch))_", endings=(".prom",),
    ),
    FileFormat(
        "links-csv", "loads", writer="core.files.links:links_csv",
        written="load of every directed link as CSV: src, dst, class, bandwidth, load, utilisation; from and to, with "
        "ports, for networks from files; measured_gbs, predicted_gbs and wait, with counters",
        ending=".csv",
    ),
    FileFormat(
        "links-parquet", "loads", writer="core.files.links:links_parquet",
        written="the same columns as links-csv, as a Parquet table", ending=".parquet",
    ),
    FileFormat(
        "links-npz", "loads", writer="core.files.links:links_npz",
        written="the same columns as links-csv, as NumPy arrays", ending=".npz",
    ),
    FileFormat(
        "dragonview-csv", "loads", writer="core.files.dragonview:dragonview_csv",
        written="loads of a Power 775 by group, row and column, for DragonView", ending=".csv",
    ),
)  # fmt: skip
_BLOCK = 1 << 20
"""Number of bytes searched at a time."""
_COMMENTS = re.compile(r"\A((#|//|%).*\n?\s*)+")


def read_of(part: Part) -> dict[str, FileFormat]:
    """Return the readable formats of a part of a scenario, by id; of jobs, the formats of traced flows."""
    return {form.id: form for form in FORMATS if form.part == part and form.reader and not form.job}


def written_of(part: Part) -> dict[str, FileFormat]:
    """Return the writable formats of a part of a scenario, by the name of the export."""
    return {form.kind: form for form in FORMATS if form.part == part and form.writer}


def format_of_job(tag: str) -> FileFormat:
    """Return the format of the files that jobs of a type name; not of traced flows, which have several."""
    return next(form for form in FORMATS if form.job == tag)


def choice_of_format(part: Part) -> Any:
    """Return the type of the field that chooses the format of a file: ``auto``, or the id of a format."""
    return Literal[(AUTO, *read_of(part))]


def recognised(start: bytes) -> FileFormat | None:
    """Return the format of a text with a unique beginning, or None if there is no such format."""
    text = start.decode("utf-8-sig", "replace").replace("\r", "\n").strip()
    begins = (text, _COMMENTS.sub("", text))
    tried = ((form, beginning) for form in FORMATS if form.begins for beginning in begins)
    flags = re.IGNORECASE | re.MULTILINE
    return next((form for form, beginning in tried if re.match(form.begins, beginning, flags)), None)


def by_text_inside(file: BinaryIO) -> FileFormat | None:
    """Return the format of a file that may begin with anything, by a text inside, or None.

    Raises OSError: if the file cannot be read.
    """
    return next((form for form in FORMATS if form.inside and _has(file, form.inside)), None)


def _has(file: BinaryIO, text: bytes) -> bool:
    file.seek(0)
    before = b""
    while block := file.read(_BLOCK):
        if text in before + block:
            return True
        before = block[1 - len(text) :]
    return False


def by_first_lines(part: Part, text: str) -> FileFormat | None:
    """Return the format of a part whose first lines without comments match, or None."""
    forms = (form for form in FORMATS if form.part == part and form.may_begin)
    return next((form for form in forms if re.match(form.may_begin, text, re.MULTILINE)), None)


def by_ending(name: str, part: Part | None = None) -> FileFormat | None:
    """Return the format of files with the suffix of `name`, for a part or, if None, any part; or None."""
    return next(_with_ending(name, part), None)


def _with_ending(name: str, part: Part | None) -> Iterator[FileFormat]:
    ending = PurePath(name).suffix.lower()
    return (form for form in FORMATS if ending in form.endings and part in (None, form.part))


def by_root(root: str, part: Part | None = None) -> FileFormat | None:
    """Return the format of an XML file with the first element `root`, for a part or, if None, any part; or None."""
    return next((form for form in FORMATS if form.root and form.root == root and part in (None, form.part)), None)
