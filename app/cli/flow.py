"""`explain --flow`: the paths of the flow from one task to another, as text and as JSON."""

import argparse
import re

from msgspec import UNSET, Struct, UnsetType

from app.model.flow_text import MAX_HOPS, hop_parts, links_heading, path_line, path_title, summary
from app.model.load_parts import whole_of
from app.wording.numbers import percent, significant
from core.figures.evaluation import unit_of
from core.load.evaluate import LoadReport
from core.load.flow_paths import FlowPaths, find_paths
from core.spec import SpecError

TASKS = re.compile(r"(\d{1,9}):(\d{1,9})", re.ASCII)


class FlowLink(Struct, frozen=True, rename={"link_class": "class", "leaves": "from", "reaches": "to"}):
    """A link that a flow crosses."""

    link_class: str
    leaves: str
    reaches: str
    src: int
    dst: int
    share: float
    """Fraction of the flow that crosses it."""
    load: float
    """Its load from all jobs."""
    utilisation: float


class Flow(Struct, frozen=True, rename={"leaves": "from", "reaches": "to"}):
    """A flow and its paths."""

    source: int
    destination: int
    leaves: str
    """The node of the source."""
    reaches: str
    volume: float
    paths: int | None
    """Number of paths; None if they cannot be distinguished."""
    hops: float
    """Mean over the paths."""
    share: float
    """Fraction of the flow on `path`."""
    path: list[FlowLink]
    """The links of the path with the largest share, in order."""
    links: list[FlowLink]
    """All links that the flow crosses."""


class ExplainedFlow(Struct, frozen=True):
    """The paths of a flow, and the throughput of the job."""

    throughput_gbs: float | None
    bottleneck: str | None
    flow: Flow
    unit: str | UnsetType = UNSET


def two_tasks(text: str) -> tuple[int, int]:
    """Return the two tasks in ``1452:1516``; argparse reports errors."""
    match = TASKS.fullmatch(text)
    if match is None:
        raise argparse.ArgumentTypeError("must be two task numbers, source first, such as 1452:1516")
    return int(match[1]), int(match[2])


def flow_of(report: LoadReport, tasks: tuple[int, int]) -> FlowPaths:
    """Return the paths from one task to another.

    Raises SpecError: under ``--flow``, if the job has no such task.
    """
    count = report.case.job.tasks
    if max(tasks) >= count:
        raise SpecError("--flow", f"no such task: {max(tasks)}; tasks: 0 to {count - 1:,}")
    return find_paths(report, *tasks)


def explained_flow(paths: FlowPaths) -> ExplainedFlow:
    """Return a flow and its paths, for JSON."""
    report, network = paths.report, paths.report.case.network
    share_of = dict(zip(paths.links.tolist(), paths.shares.tolist(), strict=True))
    converted = report.case.job.measure.converted

    def link(number: int) -> FlowLink:
        src, dst = int(network.src[number]), int(network.dst[number])
        return FlowLink(
            network.classes[int(network.class_of[number])].name, *network.link_ends(number), src, dst,
            share_of[number], converted(float(report.total_load[number])), float(report.utilisation[number]),
        )  # fmt: skip

    begin, end = map(network.label, paths.nodes)
    flow = Flow(
        paths.source, paths.destination, begin, end, converted(paths.volume), paths.count,
        paths.hops, paths.best_share, [*map(link, paths.best.tolist())], [*map(link, paths.links.tolist())],
    )  # fmt: skip
    return ExplainedFlow(report.throughput_gbs, report.bottleneck, flow, unit_of(report))


def print_flow(paths: FlowPaths) -> None:
    """Print the paths of a flow: their number, the path with the largest share, and the load of each hop."""
    report = paths.report
    print(f"\n{path_title(paths)}\n  {summary(paths)}")
    line, parts = path_line(paths), hop_parts(paths)
    if line and paths.best.size <= MAX_HOPS:
        print(f"  {line}")
    if not parts:
        return
    heading = links_heading(paths)
    measure = f"load in {report.case.job.measure.many} and in percent of {whole_of(report)}"
    print(f"  {heading + '; ' if heading else ''}{measure}")
    width = max(len(part.text) for part in parts)
    for part in parts:
        print(f"    {part.text:<{width}}  {significant(part.load):>10}  {percent(part.share):>7}")
