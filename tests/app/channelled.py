"""Scenarios with channels: rings on a fat tree, of which one crosses links repeatedly, and trees."""

from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import FatTree
from core.routing import Minimal
from tests.core.load.labelled import Labelled

GOOD = [*range(12)]
BAD = [0, 4, 1, 5, 2, 6, 3, 7, 8, 9, 10, 11]
"""Orders of ranks; the second crosses from the first leaf switch to the second four times."""


def messages(*orders):
    """Rings in these orders of ranks, one for each channel."""
    return [
        (src, dst, 2.5, channel)
        for channel, order in enumerate(orders)
        for src, dst in zip(order, [*order[1:], order[0]], strict=True)
    ]


def on_tree(flows, labels):
    """A scenario with these flows (source, destination, volume, part)."""
    job = Labelled((("channel", tuple(labels), tuple(flows), 2),))
    return Scenario(FatTree(arity=4, levels=2), job, Sequential(), Minimal())


RINGS = on_tree(messages(GOOD, BAD), ["channel 0", "channel 1"])
PARENTS = {0: 4, 1: 4, 2: 1, 3: 2, 5: 0, 6: 0, 7: 1, 8: 2, 9: 3, 10: 3, 11: 5}
TREES = on_tree(
    [flow for child, above in PARENTS.items() for flow in ((child, above, 1.0, 0), (above, child, 1.0, 1))],
    ["channel 0, up", "channel 0, down"],
)
