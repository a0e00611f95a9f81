"""Logs of several versions give back the rings, trees, hosts and NICs from which they are made."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job.nccl.lines import NONE
from core.job.nccl.log import communicators_in
from core.spec import SpecError
from tests.core.job.nccl.logs import STYLES, Made, lines, text

machines = st.builds(
    Made, st.integers(2, 24), st.integers(1, 4), seed=st.integers(0, 99), per_host=st.integers(1, 8),
    nics=st.integers(1, 3),
)  # fmt: skip


def check(communicator, made, style):
    assert (communicator.ranks, communicator.channels) == (made.ranks, made.channels)
    assert communicator.next_ranks.tolist() == made.next_ranks()
    assert [some.tolist() for some in communicator.parents] == [*made.parents(style)]
    hosts = ["" if style == "bare" else made.host(rank) for rank in range(made.ranks)]
    assert list(communicator.hosts) == hosts
    for channel, after in enumerate(made.next_ranks()):
        for src, dst in enumerate(after):
            nics = [made.nic(channel, rank) for rank in (src, dst)]
            assert communicator.nics.get((channel, src, dst)) == (None if made.is_local(src, dst) else nics)


@given(machines, st.sampled_from(STYLES), st.none() | st.integers(0, 9))
def test_every_version_is_read(made, style, shuffled):
    if made.ranks == 20 and style == "bare":
        made = Made(19, made.channels)
    (communicator,) = communicators_in(text(made, style, None if style == "bare" else shuffled))
    check(communicator, made, style)


@pytest.mark.parametrize("style", [style for style in STYLES if style != "bare"])
def test_rings_that_nccl_shortens_are_completed_from_the_lines_of_all_ranks(style):
    made = Made(64, 2, per_host=8)
    (communicator,) = communicators_in(text(made, style))
    check(communicator, made, style)


def test_the_output_of_rank_0_alone_has_short_rings_but_no_trees():
    made = Made(8, 2)
    (communicator,) = communicators_in("\n".join(line for line in lines(made, "2.12") if "node00:1000:" in line))
    assert communicator.next_ranks.tolist() == made.next_ranks()
    with pytest.raises(SpecError, match=r"line \d+: .* rank 1 has no line Trees with channel 0; give"):
        _ = communicator.parents


@pytest.mark.parametrize("style", ["2.4", "2.6", "2.12", "2.28", "rccl"])
def test_communicators_one_after_the_other_are_told_apart(style):
    several = Made(8, 2, seed=1), Made(4, 3, seed=2), Made(8, 2, seed=3)
    both = "\n".join(line for number, made in enumerate(several) for line in lines(made, style, number))
    communicators = communicators_in(both)
    assert len(communicators) == 3
    for communicator, made in zip(communicators, several, strict=True):
        check(communicator, made, style)


def test_communicators_without_senders_are_told_apart_by_the_number_of_ranks():
    several = Made(8, 2, seed=1), Made(4, 2, seed=2)
    first, second = (lines(made, "bare") for made in several)
    communicators = communicators_in("\n".join([*first, *second, *first]))
    for communicator, made in zip(communicators, several, strict=True):
        check(communicator, made, "bare")


def test_ranks_of_a_group_on_each_host_are_different_communicators_if_they_have_an_id():
    first, other = Made(4, 1, seed=1), Made(4, 1, seed=1)
    other.host = lambda rank: "other"
    both = [*lines(first, "2.28", 0), *lines(other, "2.28", 1)]
    assert [set(communicator.hosts) for communicator in communicators_in("\n".join(both))] == [{"node00"}, {"other"}]
    both = [*lines(first, "2.12", 0), *lines(other, "2.12", 1)]
    (communicator,) = communicators_in("\n".join(both))
    assert communicator.next_ranks.tolist() == first.next_ranks()
    assert set(communicator.hosts) == {""}  # either of two


def test_splits_have_a_colour_instead_of_an_id():
    def split(color):
        words = f"nranks 2 busId 1000 parent 0x2 splitCount 1 color {color} key 0"
        for rank in range(2):
            pid = 10 * color + rank
            before = f"n{color}:{pid}:{pid} [{rank}] NCCL INFO "
            yield f"{before}ncclCommSplit comm 0x1 rank {rank} {words}- Init START"
            yield from [f"{before}Channel 00/01 : 0 1"] * (rank == 0)

    communicators = communicators_in("\n".join([*split(0), *split(7)]))
    assert [set(communicator.hosts) for communicator in communicators] == [{"n0"}, {"n7"}]


def test_connections_after_the_initialisation_belong_to_the_communicator_of_the_process():
    before = "n1:7:{} [0] NCCL INFO "
    log = [
        before.format(7) + "comm 0x1 rank 0 nRanks 2 nNodes 2",
        before.format(7) + "Channel 00/01 : 0 1",
        before.format(7) + "ncclCommInitRank comm 0x1 rank 0 nranks 2 - Init COMPLETE",
        before.format(9) + "Channel 00/0 : 0[0] -> 1[0] [send] via NET/AWS Libfabric/3(1)/GDRDMA",
        before.format(9) + "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/2",
        before.format(9) + "Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/GDRDMA",
    ]
    (communicator,) = communicators_in("\n".join(log))
    assert communicator.nics == {(0, 0, 1): [3, NONE], (0, 1, 0): [NONE, 2]}


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ("hello", "has no line with NCCL INFO; give the output of a program that ran with NCCL_DEBUG=INFO"),
        ("NCCL INFO Bootstrap : Using eth0", "has NCCL INFO, but no lines Channel 00/02 : 0 1 ...;"),
        ("NCCL INFO Channel 00/01 : 0 1 1", "line 1: channel 0 names rank 1 twice; a ring names each rank once"),
        ("NCCL INFO Channel 00/01 : 0 1 5", "line 1: names rank 5; the communicator has ranks 0 to 2"),
        ("NCCL INFO Channel 00/01 : 0 -1", "has NCCL INFO, but no lines"),
        ("NCCL INFO Channel 00/01 : 0 1 2n2:7:8 [0] NCCL", "has NCCL INFO, but no lines"),
        (
            "NCCL INFO Channel 00/02 : 0 1",
            "line 1: is the last of the communicator, and channel 1 has no ring; the",
        ),
        (
            "NCCL INFO comm 0x1 rank 0 nranks 4\nNCCL INFO Channel 00/01 : 0 1 3",
            "line 2: channel 0 has no rank 2; a ring names each of 4 ranks",
        ),
        (
            "NCCL INFO comm 0x1 rank 0 nranks 64\nNCCL INFO Channel 00/01 : 0 1 2 3 4 5 6 7 8...",
            "line 2: lists only 8 of 64 ranks, as NCCL shortens long rings; give the output of all ranks",
        ),
        (
            "NCCL INFO Channel 00/01 : 0 1 2\nNCCL INFO Channel 00/01 : 0 2 1",
            "line 2: channel 0 lists other ranks than on line 1; keep the lines with comm",
        ),
        (
            "\n".join(f"NCCL INFO Ring 00 : {(r - 1) % 3} -> {r} -> {after}" for r, after in enumerate((1, 0, 0))),
            "line 2: the ring of channel 0 leads from rank 1 to rank 0 after 2 of 3 ranks",
        ),
        (
            "\n".join(f"NCCL INFO Ring 00 : {(r - 1) % 3} -> {r} -> {after}" for r, after in enumerate((1, 2, 1))),
            "line 3: the ring of channel 0 leads from its last rank to rank 1, not to rank 0",
        ),
    ],
)
def test_rings_that_are_not_rings_are_refused(log, message):
    with pytest.raises(SpecError, match=r"^job\.log: ") as error:
        _ = communicators_in(log)[0].next_ranks
    assert error.value.message.startswith(message)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (
            ("1/-1/-1->0->-1", "-1/-1/-1->1->-1"),
            "line 3: rank 1 has the parent -1 in channel 0, but is a child of rank 0",
        ),
        (("-1/-1/-1->0->-1", "-1/-1/-1->1->-1"), "line 3: ranks 0 and 1 are roots of channel 0; a tree has one root"),
        (("-1/-1/-1->0->-1", "-1/-1/-1->1->0"), "line 3: rank 1 has the parent 0 in channel 0, which does not have"),
        (
            ("2/-1/-1->0->-1", "2/-1/-1->1->0", "-1/-1/-1->2->0"),
            "line 3: in channel 0, rank 2 is a child of rank 1, and",
        ),
        (("1/-1/-1->0->1", "0/-1/-1->1->0"), "line 2: channel 0 has a cycle of parents, 0 -> 1 -> 0; a tree has one"),
        (
            ("-1/-1/-1->0->-1", "2/-1/-1->1->2", "1/-1/-1->2->1"),
            "line 3: channel 0 has a cycle of parents, 1 -> 2 -> 1",
        ),
        (
            ("1/-1/-1->0->-1",),
            "line 2: is the last of the communicator, and rank 1 has no line Trees with channel 0;",
        ),
        (("1/-1/-1->0->-1", "-1/-1/-1->1-"), "line 3: is cut off, and rank 1 has no tree in channel 0; give the"),
        (("9/-1/-1->0->-1", "-1/-1/-1->1->0"), "line 2: channel 0 names rank 9; ranks are 0 to 1"),
        (("-1/-1/-1->0->-1", "-1/-1/-1->1->8"), "line 3: rank 1 has the parent 8 in channel 0; ranks are 0 to 1"),
    ],
)
def test_trees_that_are_not_trees_are_refused(nodes, message):
    ranks = max(2, len(nodes))
    ring = "NCCL INFO Channel 00/01 : " + " ".join(map(str, range(ranks)))
    log = "\n".join([ring, *(f"NCCL INFO Trees [0] {node}" for node in nodes)])
    with pytest.raises(SpecError, match=r"^job\.log: ") as error:
        _ = communicators_in(log)[0].parents
    assert error.value.message.startswith(message)


def test_a_rank_with_two_trees_is_refused():
    log = "NCCL INFO Channel 00/01 : 0 1\nNCCL INFO Trees [0] 1/-1/-1->0->-1\nNCCL INFO Trees [0] -1/-1/-1->0->1"
    with pytest.raises(SpecError, match="line 3: rank 0 has other neighbours in channel 0 than on line 2"):
        communicators_in(log)
