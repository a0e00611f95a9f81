"""Host names of nodes: numbers replaced, domains, files, errors."""

import pytest

from core.network import Dragonfly, Torus
from core.network.hosts import HostsFile, named, with_sockets
from core.spec import SpecError


def test_host_names_replace_numbers_and_switches_keep_theirs():
    plain = Dragonfly().build()
    network = named(plain, "n[01-36]", None)
    assert (network.host_names[0], network.vertex_name(35)) == ("n01", "node n36")
    assert network.vertex_name(36) == plain.vertex_name(36)
    assert network.src is plain.src


def test_a_name_is_known_with_its_domain_or_without():
    network = named(Torus((2, 2)).build(), "a.site,b.site,c,d", None)
    nodes = [network.node_named(name) for name in ("a.site", "a", "a.other", "c.site", "d", "e", "")]
    assert nodes == [0, 0, 0, 2, 3, None, None]


def test_a_short_name_shared_by_two_nodes_is_ambiguous():
    network = named(Torus((2, 2)).build(), "n.[1-3],m.1", None)
    assert [network.node_named(name) for name in ("n.2", "n", "n.4", "m", "m.2")] == [1, None, None, 3, 3]


def test_without_names_nodes_have_their_numbers_in_equal_width():
    network = Torus((4, 4)).build()
    assert (network.host_names[0], network.host_names[15], network.node_named("n07")) == ("n00", "n15", 7)


def test_names_come_from_a_file_in_the_scenarios_folder(tmp_path):
    (tmp_path / "hosts.txt").write_text("# rack 0\nn[1-3] \n\nlogin # the last\n")
    network = named(Torus((2, 2)).build(), HostsFile("hosts.txt"), tmp_path)
    assert network.host_names == ("n1", "n2", "n3", "login")


@pytest.mark.parametrize(
    ("hosts", "message"),
    [
        ("n[1-3]", "hosts: has 3 names; the network has 4 nodes"),
        ("n", "hosts: has 1 name; the network has 4 nodes"),
        ("n[1-3],n2", "hosts: has 'n2' twice; give each host a unique name"),
        ("n[1-", "hosts: n[1-: missing ]; write n[1-3]"),
        (HostsFile("open.txt"), "hosts.file: open.txt, line 2: n[1-: missing ]; write n[1-3]"),
        (HostsFile("three.txt"), "hosts: three.txt has 3 names; the network has 4 nodes"),
        (HostsFile("none.txt"), "hosts.file: no such file in the scenario's folder: 'none.txt'"),
        (HostsFile("../x"), "hosts.file: '../x' is outside the scenario's folder; copy it there"),
    ],
)
def test_wrong_names_are_refused(hosts, message, tmp_path):
    (tmp_path / "open.txt").write_text("a\nn[1-\n")
    (tmp_path / "three.txt").write_text("n[1-3]\n")
    with pytest.raises(SpecError) as refusal:
        named(Torus((2, 2)).build(), hosts, tmp_path)
    assert str(refusal.value) == message


def test_sockets_divide_the_slots_of_a_node():
    network = Torus((2, 2), slots_per_node=6).build()
    assert with_sockets(network, 3).cores == 3
    with pytest.raises(SpecError) as refusal:
        with_sockets(network, 4)
    expected = "cores: is 4; must divide the 6 slots of a node: 1, 2, 3, 6"
    assert str(refusal.value) == expected
