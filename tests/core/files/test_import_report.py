"""Reports on imported files: format, contents, and notes."""

import pytest

from core.files.import_report import notes_on_network, report_on_network, reports_of
from core.job import Flows, Halo
from core.load.scenario import Scenario
from core.mapping import FromFile, Sequential
from core.network import Edges, Torus
from core.routing import Minimal

GRAPH = "graph { a [role=switch]; b [role=host]; c [role=host]; a -- b [gbs=25]; a -- c [gbs=12.5]; a -- c [gbs=12.5] }"


@pytest.fixture
def case(tmp_path):
    (tmp_path / "net.dot").write_text(GRAPH)
    (tmp_path / "flows.csv").write_text("src,dst,bytes,other\n0,1,100,4\n1,0,200,4\n")
    (tmp_path / "ranks.txt").write_text("rank 0=c slot=0\nrank 1=b slot=0\n")
    scenario = Scenario(Edges("net.dot"), Flows(file="flows.csv"), FromFile("ranks.txt"), Minimal(), folder=tmp_path)
    return scenario.build()


def test_each_file_of_a_scenario_has_a_report(case):
    reports = reports_of(case)
    assert list(reports) == ["network", "job", "mapping"]
    assert reports["network"].summary == (
        "a DOT graph, 2 nodes, 1 switch, 3 cables",
        "1 node link of 25 GB/s, 2 node links of 12.5 GB/s",
    )
    assert reports["job"].summary == ("a matrix or a list of flows, 2 tasks, 2 flows",)
    assert reports["mapping"].summary == ("an Open MPI rankfile, 2 ranks on 2 nodes",)
    assert reports["network"].file == "net.dot"


def test_the_notes_of_a_report_are_the_warnings(case):
    for choice, report in reports_of(case).items():
        assert report.notes == getattr(case, choice).warnings
    assert any("more than once" in line for line in notes_on_network(case.network))


def test_parts_without_a_file_have_no_report():
    case = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), Minimal()).build()
    assert reports_of(case) == {}
    assert notes_on_network(case.network) == list(case.network.warnings)


def test_a_tree_of_several_levels_is_named(tmp_path):
    (tmp_path / "net.txt").write_text("a s\nb s\nc t\nd t\ns r\ns q\nt q\n")
    network = Edges("net.txt", hosts="a,b,c,d").build(tmp_path)
    assert report_on_network(network).contents[2] == (
        "tree: 2-ary 2-tree, XGFT(2; 2,2; 1,2), less 1 cable: t - r; 2 leaf switches and 2 spine switches"
    )


def test_one_way_links_are_not_called_cables(case, tmp_path):
    (tmp_path / "net.dot").write_text("digraph { a -> b; b -> c; c -> a }")
    network = Edges("net.dot", hosts="all").build(tmp_path)
    assert "3 one-way links" in report_on_network(network).contents[0]
