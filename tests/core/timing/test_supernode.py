"""All-to-all in PERCS supernodes of several sizes.

After Totoni and Kale, "Optimizing All-to-All Algorithm for PERCS Network Using Simulation", 2011.
"""

from fractions import Fraction
from functools import cache

import pytest

from app.storage.presets import preset
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import RoundRobin, Sequential
from core.network import Percs
from core.routing import PercsDirect
from core.timing import timeline

pytestmark = pytest.mark.usefixtures("no_meetings")

SIZES = ((2, 2, 4), (1, 4, 4), (2, 2, 2), (2, 4, 8), (4, 1, 2), (3, 2, 4))
"""Drawers, nodes of a drawer, cores of a node."""


@cache
def seconds(size, algorithm, mapping=None, intra="single-hop"):
    """The time of messages of 1 GB between every two tasks, step after step."""
    drawers, nodes, cores = size
    network = Percs(1, 1, 24.0, 5.0, drawers=drawers, nodes_per_drawer=nodes, slots_per_node=cores)
    job = AllToAll(drawers * nodes * cores, algorithm, 1e9, per_node=cores)
    return timeline(Scenario(network, job, mapping or Sequential(), PercsDirect(intra)).build()).seconds


@pytest.mark.parametrize(
    ("size", "pairwise", "new", "peak"),
    [
        ((2, 2, 4), Fraction(106, 15), Fraction(16, 5), Fraction(16, 5)),
        ((1, 4, 4), 2, Fraction(2, 3), Fraction(2, 3)),
        ((2, 2, 2), Fraction(53, 30), Fraction(8, 5), Fraction(4, 5)),
        ((2, 4, 8), Fraction(296, 5), Fraction(64, 5), Fraction(64, 5)),
    ],
)
def test_times_of_small_supernodes(size, pairwise, new, peak):
    seconds_by_algorithm = [seconds(size, algorithm) for algorithm in ("pairwise", "node-by-node", "at-once")]
    assert seconds_by_algorithm == pytest.approx([float(pairwise), float(new), float(peak)])


@pytest.mark.parametrize("size", SIZES)
def test_no_algorithm_is_faster_than_the_links(size):
    drawers, _, cores = size
    # Between two nodes c^2 messages use one link.
    slowest = 5 if drawers > 1 else 24
    assert seconds(size, "at-once") == pytest.approx(cores**2 / slowest)
    for algorithm in ("pairwise", "shift", "node-by-node"):
        assert seconds(size, algorithm) >= seconds(size, "at-once") * (1 - 1e-12)


def test_pairwise_exchange_gains_where_messages_are_striped():
    size = (4, 8, 32)
    single_hop, striped = (seconds(size, "pairwise", intra=intra) for intra in ("single-hop", "striped"))
    new = seconds(size, "node-by-node", intra="striped")
    # Spreading a message over the eight nodes of a drawer gives the old algorithm the advantage of the new one.
    assert (single_hop / new, striped / new) == pytest.approx(((896 / 3 + 24576 / 5) / 204.8, 323 / 96))


def test_a_shift_lasts_longer_with_round_robin_ranks():
    size = (2, 2, 4)
    seconds_by_mapping = [seconds(size, "shift", mapping) for mapping in (Sequential(), RoundRobin())]
    assert seconds_by_mapping == pytest.approx([8, 48 / 5])


def test_the_preset_holds_both_algorithms():
    scenario = preset("power775-all-to-all")
    (kept,) = scenario.snapshots
    assert scenario.note.startswith("All-to-all in one supernode with two algorithms")
    # Messages of 1 MB.
    seconds_by_mapping = [timeline(kept_scenario.build()).seconds for kept_scenario in (scenario, kept.kept)]
    assert seconds_by_mapping == pytest.approx([5.2138666667, 0.2048])
