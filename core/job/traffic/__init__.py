"""Traffic files of other tools, one module per format; volumes of the same pair of tasks are summed."""

from collections.abc import Callable
from pathlib import Path

from core.exported import Writer
from core.filekind import tool_in
from core.job.traffic.goal import read_goal
from core.job.traffic.ipm import read_ipm
from core.job.traffic.metis_graph import read_metis_flows, write_metis_flows
from core.job.traffic.monitoring import read_monitoring
from core.job.traffic.otf2_trace import read_otf2
from core.job.traffic.pairs import Neighbour, ParsedTraffic
from core.job.traffic.scotch_graph import read_scotch, write_scotch
from core.job.traffic.tau import read_tau

READERS: dict[str, Callable[[Path], ParsedTraffic]] = {
    "ipm": read_ipm,
    "goal": read_goal,
    "otf2": read_otf2,
    "metis-graph": read_metis_flows,
    "scotch-graph": read_scotch,
}
FILES_OF_RANKS: dict[str, Callable[[Path, Neighbour], ParsedTraffic]] = {
    "monitoring": read_monitoring,
    "tau": read_tau,
}
"""Readers of traces with a file for each rank."""
IN_BYTES = frozenset(("monitoring", "ipm", "tau", "goal", "otf2"))
"""Formats that count bytes."""
WRITERS = {
    "scotch-graph": Writer(write_scotch, "traffic between tasks for Scotch, which maps it on a target", ".grf"),
    "metis-graph": Writer(
        write_metis_flows, "traffic between tasks for METIS and its kind, as weights of edges", ".graph"
    ),
}
ENDINGS = {".prof": "monitoring", ".graph": "metis-graph", ".grf": "scotch-graph", ".goal": "goal", ".otf2": "otf2"}


def form_of(path: Path, start: bytes) -> str | None:
    """Return the format of a file, given its beginning; None: none of these."""
    tool = tool_in(start)
    return tool.form if tool is not None and tool.choice == "job" else ENDINGS.get(path.suffix.lower())
