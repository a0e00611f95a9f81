"""Nodes in the build panel: typed, pasted, chosen, and their errors."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.panels.build.nodes import RULES
from app.panels.build.panel import BuildPanel
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Percs
from core.network.hosts import HostsFile
from core.routing import PercsDirect

SCENARIO = Scenario(Percs(4), Halo(4, 32), Sequential(), PercsDirect())


@pytest.fixture
def panel_of(session_of, show):
    return lambda scenario: show(BuildPanel(session_of(scenario)), 250, 900)


def type_over(panel, field, text):
    line = panel.nodes.form.editors[field].body
    line.setFocus()
    line.selectAll()
    QTest.keyClick(line, Qt.Key.Key_Delete)
    line.insertPlainText(text)
    QTest.keyClick(line, Qt.Key.Key_Return)


def choose(panel, way):
    action = next(entry for entry in panel.nodes.menu.actions() if entry.text() == RULES[way][0])
    action.trigger()


def test_fields_are_hidden_until_opened_or_filled(panel_of):
    panel = panel_of(SCENARIO)
    assert not panel.nodes.form.isVisible()
    assert panel.nodes.hint.text() == "all 128 nodes"
    panel.nodes.menu.actions()[-1].trigger()
    assert panel.nodes.form.isVisible()
    assert panel_of(replace(SCENARIO, down=("7",))).nodes.form.isVisible()


def test_pasted_list_becomes_the_allocation(panel_of):
    panel = panel_of(replace(SCENARIO, hosts="n[001-128]"))
    type_over(panel, "allocation", " n[041-080,100] ")
    case = panel.state.evaluation.case
    assert case.mapping.nodes[:5].tolist() == [40, 40, 40, 40, 41]
    assert panel.nodes.hint.text() == "41 of 128 nodes, 164 slots"
    assert panel.state.history.undo_name == "job's nodes"
    type_over(panel, "allocation", "")
    assert panel.state.evaluation.case.allocation is None


def test_host_names_come_from_an_expression_or_a_file(panel_of, tmp_path):
    (tmp_path / "names.txt").write_text("r[0-3]n[00-31]\n")
    panel = panel_of(replace(SCENARIO, folder=tmp_path, down=("0",)))
    type_over(panel, "hosts", "@names.txt")
    assert panel.state.wanted.hosts == HostsFile("names.txt")
    assert panel.state.evaluation.case.network.host_names[127] == "r3n31"
    type_over(panel, "hosts", "")
    assert panel.state.wanted.hosts is None


@pytest.mark.parametrize(
    ("field", "text", "message"),
    [
        ("allocation", "n999", "n999 is not a node of this network; its nodes are n000 to n127, by number 0 to 127"),
        ("down", "5-200", "no node 200; the network's nodes are 0 to 127"),
        ("hosts", "n[1-3]", "has 3 names; the network has 128 nodes"),
    ],
)
def test_invalid_text_stays_with_an_error_under_its_field(panel_of, field, text, message):
    panel = panel_of(replace(SCENARIO, down=("3",)))
    type_over(panel, field, text)
    assert panel.nodes.form.messages[field].text() == message
    assert panel.nodes.form.editors[field].body.text() == text
    assert not panel.message.isVisible()


@pytest.mark.parametrize(
    ("way", "nodes"), [("compact", list(range(1, 33))), ("every k-th", list(range(1, 97, 3))), ("scattered", None)]
)
def test_rule_allocates_as_many_nodes_as_the_job_needs(panel_of, way, nodes):
    panel = panel_of(replace(SCENARIO, down=("0",)))
    choose(panel, way)
    nodes_of_job = panel.state.evaluation.case.allocation.nodes.tolist()
    assert len(nodes_of_job) == 32
    assert nodes is None or nodes_of_job == nodes
    choose(panel, "all")
    assert panel.state.wanted.allocation == ""


def test_job_that_fills_the_machine_is_resized_to_half_of_it(panel_of):
    panel = panel_of(replace(SCENARIO, job=Halo(16, 32)))
    choose(panel, "compact")
    case = panel.state.evaluation.case
    assert (case.allocation.nodes.size, case.job.tasks) == (64, 256)


def test_slots_per_socket_are_set_and_cleared(panel_of):
    panel = panel_of(replace(SCENARIO, down=("0",)))
    for text, cores in (("2", 2), ("3", 2), ("", 0)):
        line = panel.nodes.form.editors["cores"].body.lineEdit()
        line.setFocus()
        line.selectAll()
        QTest.keyClick(line, Qt.Key.Key_Delete)
        QTest.keyClicks(line, text)
        QTest.keyClick(line, Qt.Key.Key_Return)
        assert panel.state.evaluation.case.network.cores == cores
