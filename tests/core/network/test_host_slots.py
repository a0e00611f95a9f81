"""Slots of hosts with several NICs, against the rule written out."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.network.host_slots import HostSlots


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(1, 4))
def test_slot_s_of_a_host_with_k_nics_uses_nic_s_mod_k(nics, slots_per_node):
    hosts = HostSlots(sum(nics), slots_per_node, np.array(nics, np.int32))
    first, number = 0, 0
    for host, count in enumerate(nics):
        nodes = range(first, first + count)
        assert hosts.nodes_of(np.array([host])).tolist() == [*nodes]
        assert hosts.room[host] == count * slots_per_node
        for place in range(count * slots_per_node):
            slot = nodes[place % count] * slots_per_node + place // count
            assert [int(end[0]) for end in hosts.place_of(np.array([slot]))] == [host, place]
            assert hosts.slots_at(np.array([host]), np.array([place])).tolist() == [slot]
            assert hosts.in_order(np.array([slot])).tolist() == [number]
            number += 1
        first += count


@given(st.data(), st.lists(st.integers(1, 4), min_size=1, max_size=6))
def test_hosts_of_nodes_keep_their_order(data, nics):
    hosts = HostSlots(sum(nics), 1, np.array(nics, np.int32))
    chosen = data.draw(
        st.permutations(range(len(nics))).map(lambda order: order[: data.draw(st.integers(1, len(order)))])
    )
    nodes = hosts.nodes_of(np.array(chosen, np.int32))
    assert nodes.tolist() == [node for host in chosen for node in np.flatnonzero(hosts.host_of == host)]
    assert hosts.hosts_of(nodes).tolist() == chosen


def test_without_nics_every_node_is_a_host():
    hosts, slots = HostSlots(5, 3, None), np.arange(15, dtype=np.int32)
    host, place = hosts.place_of(slots)
    assert host.tolist() == (slots // 3).tolist()
    assert place.tolist() == (slots % 3).tolist()
    assert hosts.slots_at(host, place).tolist() == hosts.in_order(slots).tolist() == slots.tolist()
    assert hosts.count == 5
    assert hosts.nodes_of(slots[:4]).tolist() == hosts.hosts_of(slots[:4]).tolist() == hosts.host_of[:4].tolist()
