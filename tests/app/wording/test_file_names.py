"""In all texts of the program, switches from a file have the names of the file, not numbers."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PySide6.QtTest import QTest

from app.cli.main import main
from app.model.load_parts import group_parts
from app.model.parts import item_name, item_named
from app.model.pointing import Item, flow_item, title
from app.model.view_table import VIEWS
from app.panels.bottleneck.subject_head import subject_name
from app.views.machine.geometry import MachineGeometry
from app.views.machine.picker import item_lines
from app.widgets.field_text import number_field
from app.widgets.number_box import NumberBox
from app.wording.names import group_labels, member_label, pair_name
from core.files import write_scenario
from core.files.export import export
from core.job import Flows, Permutation
from core.load.explain import explain
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.rearrange import exchange
from core.mapping.targets import Target, target_names, target_numbered
from core.network import Edges
from core.network.faults import BundleFault, LinkFault
from core.routing import Minimal
from core.spec import SpecError
from tests.app.sessions import state_of

CONF = """SwitchName=east Nodes=ada[05-08]
SwitchName=west Nodes=ada[01-04]
SwitchName=s7 Nodes=ada[09-12]
SwitchName=s1 Nodes=ada[13-16]
SwitchName=core Switches=east,west,s[1,7]
"""
SWITCHES = ["east", "west", "s7", "s1"]
ORDINAL = re.compile(
    r"\b(switch(es)?|router|group|node|between|inside) \d(?![\d.]* %|[\d,]* connected pairs)"
    r"|\w (→|↔|–) \d|(?<!\w)\d+ (→|↔|–) \w",
    re.IGNORECASE,
)
"""Matches a switch or node of this file with a number as its name."""
OF_PLACES = ("job", "matrix")
"""Views that show names of switches."""
TASKS = re.compile(r"tasks? [\d,]+( (→|->|to|with) (task )?[\d,]+)?")


@pytest.fixture(scope="module")
def scenario(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machine")
    (folder / "topology.conf").write_text(CONF)
    return Scenario(Edges(file="topology.conf"), Permutation(tasks=16, seed=3), Sequential(), Minimal(), folder=folder)


@pytest.fixture(scope="module")
def case(scenario):
    return scenario.build()


def assert_named(text):
    """Assert that no switch or node has a number as its name; tasks may."""
    plain = TASKS.sub("task", text)
    assert not ORDINAL.search(plain), text


def test_names_are_those_of_the_file(case):
    network = case.network
    assert group_labels(network) == [*SWITCHES, "core"]
    assert [network.group_name(group) for group in range(5)] == [f"switch {name}" for name in (*SWITCHES, "core")]
    assert [Target(0, place).name(network) for place in range(4)] == [f"switch {name}" for name in SWITCHES]
    assert [member_label(network, 0, place) for place in range(4)] == SWITCHES
    assert (pair_name(network, 1, 3), pair_name(network, 0, 4)) == ("switch west → s1", "switch east → core")
    assert network.group_pair_names(2, 0) == "switches s7 and east"
    assert subject_name(Item("bundle", 1 * 5 + 3), case) == "Links between switch west and s1"
    assert title(Item("group", 1), case) == "Switch west"


def test_item_is_found_by_its_name(case):
    report = state_of(case.scenario).evaluation.report
    items = [Item("group", 1), Item("bundle", 1 * 5 + 4), Item("switch", case.network.nodes + 1), Item("link", 3)]
    for item in (*items, Item("node", 3), Item("group", 4), flow_item(0, 2)):
        name = item_name(item, case)
        assert_named(name)
        assert item_named(name, report) == item, name


def test_typed_number_selects_the_switch_whose_name_has_it(case):
    assert [target_numbered(number, case.network, 0) for number in (7, 1, 0, 2)] == [2, 3, None, None]
    assert target_numbered(5, case.network, 1) == case.network.node_named("ada05")


def test_switches_of_a_generated_cluster_have_one_name(tmp_path):
    cluster = (
        '<platform version="4.1"><zone id="world" routing="Full"><cluster id="c" prefix="n" suffix="" radical="0-15" '
        'speed="1Gf" bw="1GBps" lat="1us" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"/></zone></platform>'
    )
    (tmp_path / "machine.xml").write_text(cluster)
    network = Edges(file="machine.xml").build(tmp_path)
    assert [level.name for level in network.levels] == ["switch"]
    assert [network.group_name(place) for place in range(4)] == [f"switch L1.{place}" for place in range(4)]
    assert network.vertex_name(network.nodes + 3) == "switch L1.3"


def test_number_box_accepts_and_shows_names(qtbot, case):
    box = NumberBox(number_field("Target", 0, 3, optional=True), "none")
    qtbot.addWidget(box)
    box.set_names(target_names(case.network, 0))
    box.set_value(1)
    assert box.lineEdit().text() == "west"
    box.stepBy(1)
    assert (box.value, box.lineEdit().text()) == (2, "s7")
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "east")
    assert box.value == 0
    box.set_names(())
    box.set_value(0)
    assert box.lineEdit().text() == "0"


def test_link_tables_contain_names(case):
    rows = list(csv.DictReader(io.StringIO(export(case, "links-csv").content)))
    assert {row["src"] for row in rows} == {case.network.label(vertex) for vertex in range(case.network.vertices)}


def test_texts_on_links_pairs_and_places_contain_names(case):
    state = state_of(case.scenario)
    report, geometry = state.evaluation.report, MachineGeometry(case.network)
    items = [Item("group", group) for group in range(5)] + [Item("bundle", a * 5 + 4) for a in range(4)]
    items += [Item("link", link) for link in range(case.network.links)]
    items += [Item("switch", vertex) for vertex in range(case.network.nodes, case.network.vertices)]
    for item in items:
        texts = [title(item, case), subject_name(item, case), item_name(item, case)]
        for text in (*texts, *item_lines(item, geometry, state)):
            assert_named(text)
    for link in range(case.network.links):
        explanation = explain(report, link)
        for part in group_parts(case.network, explanation) if explanation.load else ():
            assert_named(part.text)


def test_errors_and_notes_contain_names(case, scenario):
    flows = Flows(src=(4, 5), dst=(12, 13), volume=(1.0, 1.0))
    cut = replace(scenario, job=flows, faults=(LinkFault("core", "west"),))
    reason = state_of(cut).evaluation.report.disconnected.reason
    assert reason == "minimal routing has no path left between switches west and s1"
    with pytest.raises(SpecError) as caught:
        exchange(case.mapping, Target(0, 1), Target(1, 2), case.network, None)
    assert str(caught.value).startswith("target: switch west cannot be swapped with node ada07")
    for fault in (BundleFault(a=1, b=4), BundleFault(a="west", b="switch core")):
        assert fault.what(case.network) == "the bundle of switches west and core"
        assert fault.numbered(case.network) == BundleFault(a=1, b=4)
        assert fault.links(case.network).size == 2
    with pytest.raises(SpecError, match="no group has the name 's2'; switches are switch east to"):
        BundleFault(a="s2", b="core").links(case.network)
    with pytest.raises(SpecError, match="links from west lead to ada01, ada02"):
        LinkFault("west", "s1").links(case.network)


@pytest.mark.parametrize("view", [spec.id for spec in VIEWS])
def test_views_show_names(scenario, view, tmp_path, qapp):
    file = scenario.folder / "machine.fabriscope.json"
    write_scenario(file, scenario)
    out = tmp_path / "view.svg"
    assert main(["render", str(file), "--view", view, "--size", "1200x900", "--out", str(out)]) == 0
    texts = [element.text or "" for element in ElementTree.parse(out).iter() if element.tag.endswith("}text")]
    assert texts
    for text in texts:
        assert_named(text)
    if view in OF_PLACES:
        assert not {"1", "2", "3"} & set(texts)
        assert set(SWITCHES) & {text.split()[-1] for text in texts if text}


def test_command_line_prints_names(scenario, capsys):
    file = scenario.folder / "machine.fabriscope.json"
    write_scenario(file, scenario)
    for command in (["evaluate"], ["explain"], ["diff", str(file)], ["metrics"], ["timeline"]):
        assert main([command[0], *command[1:], str(file)]) == 0
        for line in capsys.readouterr().out.splitlines():
            assert_named(line.strip())


def test_only_the_network_builds_names_from_kinds_and_numbers():
    """Names built elsewhere would contain numbers."""
    root = Path(__file__).parents[3]
    for file in (*(root / "core").rglob("*.py"), *(root / "app").rglob("*.py")):
        match = re.search(r"level(s\[[^]]*\])?\.name\} \{|(top_level\(\w+\)|group_kinds\[0\])\} \{", file.read_text())
        assert match is None, file
