"""Paths between nodes and links of a routing as text."""

from app.model.routes import Drawn
from app.model.routes_shown import analysis_of, node_paths_of
from app.model.state import State
from app.wording.numbers import EQUAL, percent
from app.wording.routes import cycle_text, unused_text
from core.load.routes.node_paths import NodePaths
from core.text import plural

MAX_LINES = 8
"""Maximum number of links in a readout."""


def hop_text(paths: NodePaths, link: int) -> str:
    """Return ``s1_0000 port 8 → s2_0003 port 1``."""
    return " → ".join(paths.router.network.link_ends(link))


def path_heading(paths: NodePaths) -> str:
    """Return ``4 links, over 3 switches``, or why there is no path."""
    network = paths.router.network
    if paths.reason:
        return f"No path from {network.label(paths.source)} to {network.label(paths.destination)}: {paths.reason}"
    if paths.source == paths.destination:
        return "Source and destination are the same node, so no link is crossed"
    if paths.count is None:
        return f"Spread over {plural(paths.links.size, 'link')}, {paths.hops:.3g} links on average"
    switches = int((network.dst[paths.best] >= network.nodes).sum())
    over = f", over {plural(switches, 'switch')}" if switches else ""
    single = f"{plural(paths.best.size, 'link')}{over}"
    if paths.count == 1:
        return single
    equal = paths.best_share * paths.count < 1 + EQUAL
    what = f"one of {paths.count:,} equal paths" if equal else f"the largest of {paths.count:,} paths"
    return f"{single}; {what}, with {percent(paths.best_share)} of the volume"


def route_lines(state: State) -> tuple[str, ...]:
    """Return a readout of the path or links drawn: the ends of a path, and its links; or the number of links."""
    paths, analysis = node_paths_of(state), analysis_of(state)
    if state.routes.drawn is Drawn.UNUSED and analysis is not None and analysis.figures is not None:
        return ("unused under all-to-all", unused_text(analysis.router.network, analysis.figures))
    if state.routes.drawn is Drawn.CYCLE and analysis is not None and analysis.deadlock is not None:
        return ("deadlock", cycle_text(analysis.deadlock))
    if state.routes.drawn is not Drawn.PATH or paths is None:
        return ()
    label, listed = paths.router.network.label, paths.best[:MAX_LINES].tolist()
    title = f"path from {label(paths.source)} to {label(paths.destination)}"
    more = [f"{paths.best.size - len(listed):,} more links"] if paths.best.size > len(listed) else []
    return (title, path_heading(paths), *(hop_text(paths, link) for link in listed), *more)
