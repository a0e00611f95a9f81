"""Channels of a collective: rings, chains and trees of labelled messages, and the hops of messages along them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import Halo
from core.job.channels import Channels
from core.job.flow_parts import FlowParts
from tests.core.load.labelled import Labelled, channels
from tests.core.strategies import orders


def ring(order, channel=0):
    return [(src, dst, 1.0, channel) for src, dst in zip(order, [*order[1:], order[0]], strict=True)]


def of(messages, labels):
    src, dst, _, part = (np.array(column, np.int32) for column in zip(*messages, strict=True))
    return Channels.of(FlowParts("channel", labels, part), src, dst)


@given(st.data(), st.integers(2, 12), st.integers(1, 3))
def test_hops_of_a_ring_are_counted_from_its_lowest_task(data, tasks, count):
    rings = [data.draw(orders(range(tasks))) for _ in range(count)]
    messages = data.draw(st.permutations([message for k, order in enumerate(rings) for message in ring(order, k)]))
    some = of(messages, [f"channel {k}" for k in range(count)])
    assert some.rings
    for message, (src, dst, _, channel) in enumerate(messages):
        order = rings[channel]
        away = (order.index(src) - order.index(0)) % tasks
        assert some.hop(message) == (away + 1, tasks)
        assert some.of_message[message] == channel
        assert message in some.between(src, dst)


def test_the_path_of_a_chain_begins_at_its_first_task():
    chain = [(src, dst, 1.0, 0) for src, dst in ((3, 0), (0, 2), (2, 1))]
    some = of(chain, ["channel 0"])
    assert not some.rings
    assert [some.hop(message) for message in range(3)] == [(1, 3), (2, 3), (3, 3)]


def test_levels_of_trees_are_counted_from_the_root_in_both_directions():
    # Task 4 is the root; 0 and 1 are its children, 2 a child of 1, 3 of 2.
    parent, level = {0: 4, 1: 4, 2: 1, 3: 2}, {0: 1, 1: 1, 2: 2, 3: 3}
    up = [(child, above, 1.0, 0) for child, above in parent.items()]
    down = [(above, child, 1.0, 1) for child, above in parent.items()]
    some = of([*up, *down], ["channel 7, up", "channel 7, down"])
    assert some.names == ("channel 7",)
    assert some.number(0) == "7"
    assert set(some.of_message.tolist()) == {0}
    assert not some.rings
    children = [*parent, *parent]
    assert [some.hop(message) for message in range(8)] == [(level[child], 0) for child in children]


def test_several_rings_in_one_part_are_left_in_finite_time():
    some = of([*ring([0, 1]), *ring([3, 2, 4])], ["channel 0"])
    assert all(1 <= some.hop(message)[0] <= 5 for message in range(5))


def test_jobs_with_several_messages_in_a_part_have_channels():
    several, single = channels(*ring([0, 2, 1])), channels((0, 1, 1.0, 0), (1, 0, 1.0, 1), kind="step")
    assert Labelled((several,)).build().channels.names == ("channel 0",)
    # The first phase that has any.
    assert Labelled((single, several)).build().channels.parts.kind == "channel"
    assert Labelled((single,)).build().channels is None
    assert Halo(2, 2).build().channels is None


@pytest.mark.parametrize("times", [1, 3])
def test_repeated_steps_are_one(times):
    assert Labelled((channels(*ring([0, 2, 1]), times=times),)).build().channels.src.size == 3
