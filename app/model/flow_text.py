"""The paths of a flow as text: a summary, and the links of one path, hop by hop."""

from itertools import pairwise

import numpy as np

from app.model.channels_shown import hop_lines
from app.model.load_parts import LoadPart
from app.model.pointing import Item, tasks_of_flow, vertices_of
from app.model.state import State
from app.wording.names import flow_name
from app.wording.numbers import EQUAL, load_percent, percent
from core.load.flow_paths import FlowPaths, Links
from core.load.scenario import Case
from core.text import plural

MAX_HOPS = 32
"""Maximum number of links listed."""
MAX_LINES = 8
"""Maximum number of links in a readout."""
SPREAD_LINKS = 5
"""Number of links listed for a flow that is spread over too many paths to separate."""


def flow_ends(flow: Item, case: Case) -> str:
    """Return ``task 1,452 on 13 · d1 · 14 → task 1,516 on 21 · d0 · 5``."""
    ends = zip(tasks_of_flow(flow), vertices_of(flow, case), strict=True)
    return " → ".join(f"task {task:,} on {case.network.label(node)}" for task, node in ends)


def flow_lines(flow: Item, state: State) -> tuple[str, ...]:
    """Return a readout of a flow: its ends, its paths, and the links of the largest with their loads."""
    paths, network = state.paths_of(flow), state.evaluation.case.network
    ends = " to ".join(network.label(node) for node in vertices_of(flow, state.evaluation.case))
    title = flow_name(*tasks_of_flow(flow)), *hop_lines(state, *tasks_of_flow(flow)), f"from {ends}"
    if paths is None:
        return title
    links = listed_links(paths)
    listed = links if links.size <= MAX_LINES else links[: MAX_LINES - 1]
    lines = [f"{network.link_name(link)}: {load_percent(float(state.utilisation[link]))}" for link in listed.tolist()]
    if links.size > listed.size:
        rest = float(state.utilisation[links[listed.size :]].max())
        lines.append(f"{links.size - listed.size:,} more, up to {load_percent(rest)}")
    heading = links_heading(paths)
    return (*title, *facts(paths), *([f"{heading}:"] if heading else []), *lines)


def path_title(paths: FlowPaths) -> str:
    """Return ``Path of task 1,452 → 1,516``, in the plural if there are several."""
    several = paths.count is None or paths.count > 1
    return f"Path{'s' * several} of {flow_name(paths.source, paths.destination)}"


def summary(paths: FlowPaths) -> str:
    """Return ``4 paths, 3 hops, largest share 25 % · 0.25 units``, or why there is no path."""
    return " · ".join(facts(paths))


def facts(paths: FlowPaths) -> tuple[str, str]:
    """Return the parts of the summary: the paths, or why there is no path, and the volume."""
    measure, network = paths.report.case.job.measure, paths.report.case.network
    begin, end = paths.nodes
    sent = measure.suited_amount(paths.volume) if paths.volume > 0 else "nothing is sent"
    if paths.count is None:
        return f"spread over {plural(paths.links.size, 'link')}, {_hops(paths.hops)} on average", sent
    if paths.count:
        largest = f", largest share {percent(paths.best_share)}" if paths.count > 1 else ""
        return f"{plural(paths.count, 'path')}, {_hops(paths.hops)}{largest}", sent
    if begin == end:
        return f"both tasks are on {network.vertex_name(begin)}, so no link is crossed", sent
    if paths.volume <= 0 and paths.report.case.router.plans:
        return "no path is planned", sent
    return f"disconnected: no path from {network.label(begin)} to {network.label(end)}", sent


def _hops(hops: float) -> str:
    return f"{hops:.3g} hop{'' if hops == 1 else 's'}"


def links_heading(paths: FlowPaths) -> str:
    """Return a heading for `listed_links`; empty for the links of the only path."""
    if paths.count is None:
        return f"its {SPREAD_LINKS} hottest links" if paths.links.size > SPREAD_LINKS else "its links"
    if paths.count < 2:
        return ""
    equal = paths.best_share * paths.count < 1 + EQUAL
    return f"one of {paths.count:,} equal paths" if equal else f"the largest of {paths.count:,} paths"


def listed_links(paths: FlowPaths) -> Links:
    """Return the links of the path with the largest share, in order, or else the hottest links, hottest first."""
    if paths.count is not None:
        return paths.best
    hottest = np.argsort(-paths.report.utilisation[paths.links], kind="stable")[:SPREAD_LINKS]
    return paths.links[hottest]


def hop_parts(paths: FlowPaths) -> tuple[LoadPart, ...]:
    """Return `listed_links`, each with its load and its utilisation."""
    report = paths.report
    network, converted = report.case.network, report.case.job.measure.converted
    links = listed_links(paths)
    parts = tuple(
        LoadPart(
            network.link_name(link), converted(float(report.total_load[link])), float(report.utilisation[link]),
            Item("link", link),
        )
        for link in links[:MAX_HOPS].tolist()
    )  # fmt: skip
    rest = links[MAX_HOPS:]
    if not rest.size:
        return parts
    hottest = int(rest[report.utilisation[rest].argmax()])
    load = converted(float(report.total_load[hottest]))
    more = LoadPart(f"and {rest.size:,} more, up to", load, float(report.utilisation[hottest]))
    return (*parts, more)


def path_line(paths: FlowPaths) -> str:
    """Return the path as ``21 · d1 · 12 → LR 80 % → 21 · d0 · 4``, with … between vertices that no link connects."""
    network, utilisation, links = paths.report.case.network, paths.report.utilisation, paths.best.tolist()
    if not links:
        return ""
    words = [network.label(int(network.src[links[0]]))]
    for before, link in pairwise([None, *links]):
        start = int(network.src[link])
        if before is not None and start != network.dst[before]:
            words += ["…", network.label(start)]
        kind = network.classes[int(network.class_of[link])].name
        words += [f"{kind} {percent(float(utilisation[link]))}", network.label(int(network.dst[link]))]
    return " → ".join(words)
