"""The analysis of the routing on screen, and its links that are drawn on the machine."""

import numpy as np

from app.model.channels_shown import chosen_channel, crossed_links, drawn_channels
from app.model.routes import Drawn, DrawnLinks, LinkPaths, RouteAnalysis
from app.model.state import State
from core.load.routes.node_paths import NodePaths


def analysis_of(state: State) -> RouteAnalysis | None:
    """Return the analysis of the routing on screen, or None if it is not known yet."""
    analysis = state.routes.analysis
    return analysis if analysis is not None and analysis.router is state.evaluation.case.router else None


def node_paths_of(state: State) -> NodePaths | None:
    """Return the paths between the two nodes chosen, or None if they are not known yet."""
    paths = state.routes.paths
    if paths is None or paths.router is not state.evaluation.case.router:
        return None
    return paths if (paths.source, paths.destination) == state.routes.ends else None


def drawn_links(state: State) -> LinkPaths | None:
    """Return the links to draw: of the routing, or that the chosen channel crosses repeatedly; or None for none.

    While A is compared, links that a channel crosses are not drawn, because they are only known for B.
    """
    chosen = chosen_channel(state) if drawn_channels(state) is not None else None
    if chosen is not None:
        if state.compared_pair is not None:
            return None
        return DrawnLinks.of(np.sort(crossed_links(state, chosen)[0]))
    if state.routes.drawn is Drawn.PATH:
        return node_paths_of(state)
    analysis = analysis_of(state)
    if analysis is None or state.routes.drawn is Drawn.NOTHING:
        return None
    return DrawnLinks.of(analysis.cycle if state.routes.drawn is Drawn.CYCLE else analysis.unused)
