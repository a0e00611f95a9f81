"""Coloured blocks: their guarantees, checked from the mapping alone and by evaluation; refusals that help."""

import re
from math import gcd

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks, ColouredBlocks, ModColour, Sequential
from core.mapping.mapping import results_of
from core.mapping.percs_blocks import coloured, colouring, labels, places
from core.network import Percs, Torus
from core.routing import PercsDirect, PercsIndirect
from core.spec import Cancelled, SpecError
from tests.core.strategies import percs_specs

GRIDS = {16: (32, 64), 32: (64, 64), 64: (64, 128), 128: (128, 128)}


def throughput(network, mapping, routing=None, grid=None):
    job = Halo(*(grid or GRIDS[network.supernodes]))
    report = evaluate(Scenario(network, job, mapping, routing or PercsDirect()).build())
    return {
        "all": report.throughput_gbs,
        **{link_class.name: link_class.throughput_gbs for link_class in report.classes},
    }


def edges_between(slots, supernodes):
    """Grid edges between any two supernodes, edge by edge from the mapping alone."""
    home = slots // 128
    count = np.zeros((supernodes, supernodes), int)
    for axis in (0, 1):
        other = np.roll(home, -1, axis)
        for a, b in zip(home.ravel().tolist(), other.ravel().tolist(), strict=True):
            if a != b:
                count[a, b] += 1
                count[b, a] += 1
    return count


@pytest.mark.parametrize("supernodes", [32, 64, 128])
def test_no_two_supernodes_share_more_than_4_edges(supernodes):
    network, grid = Percs(supernodes, 1), GRIDS[supernodes]
    slots = ColouredBlocks(placement="in-order").build(Halo(*grid).build(), network.build()).slots
    count = edges_between(slots.reshape(grid), supernodes)
    assert count.max() == 4
    assert throughput(network, ColouredBlocks(placement="in-order"))["D"] == pytest.approx(40)


@pytest.fixture
def hasty(monkeypatch):
    """Let careful placement examine an eighth of the colourings, a tenth as long, with half the time to number."""
    monkeypatch.setattr(coloured, "CANDIDATES", 3)
    monkeypatch.setattr(places, "PATIENCE", 40_000)
    monkeypatch.setattr(labels, "TOGETHER_STEPS", 50_000)
    results_of.cache_clear()
    yield
    results_of.cache_clear()


@pytest.fixture(scope="class")
def short():
    """Shorten searches, with this scope for all examples."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(colouring, "ANNEAL_STEPS", 1000)
        patch.setattr(colouring, "EXCHANGES", 1000)
        patch.setattr(places, "PATIENCE", 4000)
        patch.setattr(labels, "TOGETHER_STEPS", 1000)
        results_of.cache_clear()
        yield
    results_of.cache_clear()


# The published best are 20, 40, 64, 107, 160; 20; 20.
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("supernodes", "d_links", "least"),
    [(32, 1, 40), (32, 2, 80), (32, 4, 106), (32, 8, 160), (32, 16, 190), (64, 1, 40), (64, 2, 80), (128, 1, 40)],
)
def test_direct_routing_beats_the_published_mapping(supernodes, d_links, least):
    rates = throughput(Percs(supernodes, d_links), ColouredBlocks())
    assert rates["all"] >= least - 1e-6


# The published best are 53.3, 96, 174, 183, 179.
@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("d_links", "rows", "cols", "least"), [(1, 8, 16, 53.3), (2, 8, 16, 106.6), (4, 8, 16, 182), (16, 4, 4, 200)]
)
def test_indirect_routing_beats_the_published_mapping(d_links, rows, cols, least):
    spec = ColouredBlocks(rows, cols, tuned_for="indirect")
    assert throughput(Percs(32, d_links), spec, PercsIndirect())["all"] >= least


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("d_links", [2, 4, 8, 16])
def test_labels_relieve_the_middle_hop(d_links):
    def middle(mapping):
        case = Scenario(Percs(32, d_links), Halo(64, 64), mapping, PercsIndirect()).build()
        uncounted = PercsIndirect(count_middle_hop=False)
        without = Scenario(Percs(32, d_links), Halo(64, 64), mapping, uncounted).build(case)
        return (evaluate(case).load - evaluate(without).load).max()

    ours = middle(ColouredBlocks(8, 16, tuned_for="indirect"))
    assert ours <= 0.9 * middle(Blocks(8, 16))
    assert ours <= 0.6 * min(middle(Blocks(8, 16, "random", seed)) for seed in range(3))


def test_careful_placement_lifts_the_l_links():
    network = Percs(32, 4)
    in_order = throughput(network, ColouredBlocks(8, 8, placement="in-order"))
    careful = throughput(network, ColouredBlocks(8, 8))
    assert in_order["LR"] < 80 <= careful["LR"] + 1e-6
    assert careful["D"] == in_order["D"] == pytest.approx(80)
    assert throughput(network, ModColour())["all"] < careful["all"]


def test_careful_placement_keeps_tasks_in_their_supernodes():
    network, job = Percs(32, 1).build(), Halo(64, 64).build()
    slots = ColouredBlocks().build(job, network).slots // 128
    again = ColouredBlocks(placement="in-order").build(job, network).slots // 128
    # The same parts, possibly of another colouring: 8 blocks of 4 x 4 in each supernode.
    for home in (slots, again):
        blocks = home.reshape(16, 4, 16, 4).transpose(0, 2, 1, 3).reshape(-1, 16)
        assert (blocks == blocks[:, :1]).all()
        assert np.bincount(blocks[:, 0]).tolist() == [8] * 32


@pytest.mark.parametrize("tuned_for", ["direct", "indirect"])
def test_the_seed_determines_the_mapping(tuned_for):
    network, job = Percs(16, 4).build(), Halo(32, 64).build()
    spec = ColouredBlocks(8, 8, tuned_for=tuned_for, seed=5)
    first = spec.build(job, network).slots
    first_again = ColouredBlocks(8, 8, tuned_for=tuned_for, seed=5).build(job, network).slots
    np.testing.assert_array_equal(first, first_again)
    assert first is not first_again
    assert not np.array_equal(first, ColouredBlocks(8, 8, tuned_for=tuned_for, seed=6).build(job, network).slots)


@pytest.mark.usefixtures("short")
def test_a_search_repeated_from_scratch_finds_the_same():
    network, job = Percs(8, 2).build(), Halo(32, 32).build()
    first = ColouredBlocks().build(job, network).slots
    results_of.cache_clear()
    np.testing.assert_array_equal(first, ColouredBlocks().build(job, network).slots)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(("d_links", "tuned_for"), [(1, "direct"), (8, "direct"), (8, "indirect")])
def test_a_search_reports_progress_to_the_end_and_can_be_cancelled(d_links, tuned_for):
    network, job, spec = Percs(32, d_links).build(), Halo(64, 64).build(), ColouredBlocks(tuned_for=tuned_for)
    told = []
    spec.build(job, network, progress=told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 1)
    again = []
    results_of.cache_clear()
    for last in (told[0], told[len(told) // 2], told[-1]):

        def stop(fraction, last=last):
            again.append(fraction)
            if fraction >= last:
                raise Cancelled

        del again[:]
        with pytest.raises(Cancelled):
            spec.build(job, network, progress=stop)
        assert again == told[: len(again)]
        assert sum(fraction >= last for fraction in again) == 1
    spec.build(job, network)
    del again[:]
    spec.build(job, network, progress=again.append)
    assert not again, "the result is stored"


@pytest.mark.usefixtures("short")
@settings(max_examples=25)
@given(
    percs_specs(most=5, slots=(1, 2, 4)),
    st.integers(1, 24),
    st.integers(1, 24),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from(["direct", "indirect"]),
    st.sampled_from(["careful", "in-order"]),
)
def test_any_grid_gives_an_injection_or_advice(spec, rows, cols, a, b, tuned_for, placement):
    network, job = spec.build(), Halo(rows, cols).build()
    assume(job.tasks <= network.slots)
    mapping = ColouredBlocks(a, b, placement=placement, tuned_for=tuned_for)
    message = None
    try:
        slots = mapping.build(job, network).slots
    except SpecError as refusal:
        message = refusal.message
    if message is not None:
        advised = re.search(r"; try blocks of (\d+) x (\d+)$", message)
        instead = ColouredBlocks(*map(int, advised.groups()), "in-order") if advised else Sequential()
        assert advised or message.endswith("; no block fits this grid (try sequential)")
        instead.build(job, network)
        return
    # Every supernode with tasks has the same number, in whole blocks.
    home = slots // (32 * spec.slots_per_node)
    used = np.bincount(home)
    assert len(set(used[used > 0].tolist())) == 1
    blocks = home.reshape(rows // a, a, cols // b, b).transpose(0, 2, 1, 3).reshape(-1, a * b)
    assert (blocks == blocks[:, :1]).all()
    # Nodes hold rectangles.
    nodes = (slots // spec.slots_per_node).reshape(rows, cols)
    for node in np.unique(nodes):
        y, x = np.nonzero(nodes == node)
        assert (np.ptp(y) + 1) * (np.ptp(x) + 1) == spec.slots_per_node


def test_a_half_filled_machine_uses_all_supernodes():
    network = Percs(32, 1)
    slots = ColouredBlocks().build(Halo(32, 64).build(), network.build()).slots
    assert np.bincount(slots // 128).tolist() == [64] * 32
    assert throughput(network, ColouredBlocks(), grid=(32, 64))["D"] == pytest.approx(40)


@pytest.mark.parametrize(
    ("spec", "grid", "field", "words"),
    [
        (
            ColouredBlocks(5, 4),
            (64, 64),
            "mapping.rows",
            "5 does not divide the 64 rows of the grid; try blocks of 4 x 4",
        ),
        (
            ColouredBlocks(4, 5),
            (64, 64),
            "mapping.cols",
            "5 does not divide the 64 columns of the grid; try blocks of 4 x 4",
        ),
        (ColouredBlocks(16, 16), (64, 64), "mapping.rows", "16 x 16 tasks do not divide a supernode of 128 slots"),
        (ColouredBlocks(1, 2), (64, 64), "mapping.rows", "1 x 2 tasks cannot be divided into nodes of 4"),
        (
            ColouredBlocks(4, 4),
            (4, 148),
            "mapping.rows",
            "37 blocks of 4 x 4 cannot be divided evenly among 32 supernodes, at most 8 per supernode",
        ),
    ],
)
def test_refusals_suggest_a_valid_block(spec, grid, field, words):
    with pytest.raises(SpecError) as refusal:
        spec.build(Halo(*grid).build(), Percs(32, 1).build())
    assert refusal.value.field == field
    assert words in refusal.value.message
    assert re.search(r"try (blocks of \d+ x \d+|sequential)\)?$", refusal.value.message)


def test_networks_without_groups_are_refused():
    with pytest.raises(SpecError, match="coloured-blocks needs groups of nodes, such as the supernodes of percs"):
        ColouredBlocks().build(Halo(8, 8).build(), Torus(dims=(64,)).build())


def test_other_networks_with_groups_keep_tiles_in_order():
    network, job = Torus(dims=(4, 4, 4), slots_per_node=4).build(), Halo(16, 16).build()
    with pytest.raises(SpecError, match="careful placement needs a percs network; try in-order") as refusal:
        ColouredBlocks().build(job, network)
    assert refusal.value.field == "mapping.placement"
    group = network.levels[0].group
    home = group[ColouredBlocks(placement="in-order").build(job, network).nodes].reshape(16, 16)
    blocks = home.reshape(4, 4, 4, 4).transpose(0, 2, 1, 3).reshape(16, 16)
    assert (blocks == blocks[:, :1]).all()
    assert np.bincount(blocks[:, 0]).tolist() == [16 // network.levels[0].count] * network.levels[0].count


def test_jobs_without_a_grid_are_refused():
    with pytest.raises(SpecError, match="try sequential or random"):
        ColouredBlocks().build(AllToAll(tasks=64).build(), Percs(2, 1).build())


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("values", ColouredBlocks.presets.values(), ids=list(ColouredBlocks.presets))
def test_presets_fit_the_papers_grids(values):
    spec = ColouredBlocks(**values)
    assert gcd(spec.rows * spec.cols, 128) == spec.rows * spec.cols
    assert throughput(Percs(16, 1), spec)["all"] > 0
