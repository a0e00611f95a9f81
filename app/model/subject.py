"""The subject of the Bottleneck panel: the links of the selected item, and the explained one among them."""

import numpy as np
from numpy.typing import NDArray

from app.model.evaluation import Evaluation
from app.model.pointing import Item, exists, groups_of, tasks_of_flow, vertices_of
from core.load.evaluate import LoadReport
from core.load.flow_paths import find_paths
from core.load.scenario import Case

Ids = NDArray[np.intp]


def links_of_item(item: Item, case: Case) -> Ids:
    """Return the links of an item, shape ``(n,)``, ascending; empty if the case has no such item.

    For a link this is the link itself, for a bundle its links in both directions, for a node, a switch, a task or a
    group the links at its vertices. For the links of a flow see `core.load.flow_paths`.
    """
    network = case.network
    if item.kind == "flow" or not exists(item, case):
        return np.zeros(0, np.intp)
    if item.kind == "link":
        return np.array([item.index], np.intp)
    if item.kind in ("bundle", "group"):
        groups = groups_of(item, case)
        leaves, reaches = network.group_of[network.src], network.group_of[network.dst]
        if item.kind == "group":
            return np.flatnonzero((leaves == groups[0]) | (reaches == groups[0]))
        a, b = groups[0], groups[-1]
        return np.flatnonzero(((leaves == a) & (reaches == b)) | ((leaves == b) & (reaches == a)))
    (vertex,) = vertices_of(item, case)
    return np.flatnonzero((network.src == vertex) | (network.dst == vertex))


def links_of_flow_or_item(item: Item, evaluation: Evaluation) -> Ids:
    """Return the links on the paths of a flow, or else of another item."""
    if item.kind == "flow":
        return find_paths(evaluation.report, *tasks_of_flow(item)).links
    return links_of_item(item, evaluation.case)


def hottest_links_of(item: Item, report: LoadReport, count: int) -> Ids:
    """Return the loaded links of an item, hottest first, shape ``(n,)``, n at most `count`."""
    links = links_of_item(item, report.case)
    links = links[report.load[links] > 0]
    return links[np.argsort(-report.utilisation[links], kind="stable")[:count]]


def link_to_explain(item: Item | None, report: LoadReport) -> int | None:
    """Return the link to explain: the selected link, or the hottest loaded link of the item, or None."""
    if item is None:
        return None
    if item.kind == "link":
        return item.index
    return next(iter(hottest_links_of(item, report, 1).tolist()), None)
