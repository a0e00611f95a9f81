"""The warning below the throughput: shown exactly while flows are disconnected; its button selects their tasks."""

from dataclasses import replace

import numpy as np
import pytest

from app.panels.bottleneck.disconnected_banner import DisconnectedBanner, first_flows
from app.storage.presets import worked_example
from core.job.job import FlowBlock
from core.load.disconnected import DisconnectedFlows
from core.network.faults import BundleFault, NodeFault
from tests.app.sessions import session_on


@pytest.fixture
def banner(qtbot):
    session = session_on(worked_example(), sync=True)
    banner = DisconnectedBanner(session)
    session.changed.connect(lambda changes: banner.show_state(session.state))
    qtbot.addWidget(banner)
    banner.show_state(session.state)
    yield session, banner
    session.close()


def fail(session, *faults):
    session.propose(replace(session.state.wanted, faults=faults), name="Fail")
    assert session.state.error is None


def test_banner_shows_the_number_of_disconnected_flows_and_the_reason(banner):
    session, widget = banner
    assert widget.isHidden()
    fail(session, BundleFault(0, 1))
    cut = session.state.report.disconnected
    assert cut.count
    assert not widget.isHidden()
    assert widget.text.text().startswith(f"{cut.count:,} flows (")
    assert "no path" in widget.text.text()
    assert widget.text.text().endswith(" The throughput is for a node whose flows are all connected.")
    src, dst = int(cut.first.src[0]), int(cut.first.dst[0])
    assert widget.flows.text().startswith(f"task {src:,} → {dst:,}, ")
    fail(session)
    assert widget.isHidden()


def test_button_selects_the_tasks_of_disconnected_flows(banner):
    session, widget = banner
    fail(session, BundleFault(0, 1))
    widget.mark.click()
    cut = session.state.report.disconnected.first
    np.testing.assert_array_equal(session.state.marked, np.union1d(cut.src, cut.dst))


def test_banner_reports_tasks_on_a_failed_node(banner):
    session, widget = banner
    fail(session, NodeFault(40))
    assert "4 tasks sit on failed nodes" in widget.text.text()


def test_banner_follows_edits_of_the_mapping(banner):
    session, widget = banner
    fail(session, NodeFault(40))
    before = widget.text.text()
    session.editing.undo()
    assert widget.isHidden()
    session.editing.redo()
    assert widget.text.text() == before


def test_banner_lists_the_first_flows():
    first, two = (FlowBlock(np.arange(n), np.arange(n) + 1000, np.ones(n)) for n in (1, 5))
    assert first_flows(DisconnectedFlows(1, 1.0, first)) == "task 0 → 1,000"
    assert first_flows(DisconnectedFlows(5, 5.0, two)) == "task 0 → 1,000, task 1 → 1,001, task 2 → 1,002 …"
