"""Choices of the job's nodes by rules, on hosts with several NICs."""

import numpy as np
import pytest

from app.model.background_jobs import with_copy
from app.model.nodes import choose_nodes, with_allocated
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.node_choice import CHOICES
from core.network import Dragonfly
from core.routing import Minimal

NETWORK = Dragonfly(4, 2, 5, 4, slots_per_node=2, nics=4)
"""Twenty hosts of eight slots, four in each group."""


@pytest.mark.parametrize("rule", CHOICES)
def test_rules_choose_as_many_hosts_as_the_job_needs(rule):
    scenario = Scenario(NETWORK, AllToAll(20), Sequential(), Minimal(), down=("0",))
    case = scenario.build()
    nodes = choose_nodes(scenario, case, rule)
    hosts = case.network.host_slots.hosts_of(nodes)
    assert hosts.size == 3
    assert 0 not in hosts
    assert nodes.tolist() == [4 * host + nic for host in hosts for nic in range(4)]
    allocated = with_allocated(scenario, case, nodes).build().allocation
    assert np.array_equal(allocated.nodes, nodes)


def test_a_copied_job_gets_whole_hosts():
    case = Scenario(NETWORK, AllToAll(20), Sequential(), Minimal(), allocation="0-2").build()
    copied = with_copy(case)
    assert copied.neighbours[0].allocation == "3-5"
    own, other = (each.nodes.tolist() for each in copied.build().allocations)
    assert (own, other) == ([*range(12)], [*range(12, 24)])
