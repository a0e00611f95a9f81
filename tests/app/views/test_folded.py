"""A network whose nodes and links represent many: loads are visible, and counts are complete."""

import numpy as np
import pytest

from app.model.load_parts import task_parts
from app.model.pointing import Item
from app.panels.bottleneck.hottest_links import HottestLinks
from app.views.charts.histogram import histograms
from app.views.heatmaps.inner_matrix import InnerMatrixView
from app.views.heatmaps.task_grid import JobGridView
from app.window.status_bar import status_text
from core.job import AllToAll, Permutation
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.edit import occupants, swapped
from core.network import Clex
from core.network.families import clex as module
from core.routing import ClexRouting
from tests.app.views.heatmaps.test_bundle_matrix import click
from tests.app.views.seen import text_of

FOLDED = Scenario(Clex(k=4, levels=3), AllToAll(64), Sequential(), ClexRouting())


@pytest.fixture
def session(session_of, monkeypatch):
    monkeypatch.setattr(module, "MAX_LINKS", 100)
    return session_of(FOLDED)


def test_links_inside_a_clique_are_the_diagonal_and_can_be_selected(session, shown):
    view = shown(InnerMatrixView(session))
    assert text_of(view).startswith("max 100 %")
    click(view, 2, 2)
    assert session.state.selection == Item("link", 2)
    assert "level 1 (*,2,0) → (*,2,0): 100 %" in text_of(view)


def test_counts_are_of_all_links(session, shown):
    charts = histograms(session.state)
    assert [chart.links for chart in charts] == [192, 256, 256]
    assert all(chart.counts.sum() == chart.links for chart in charts)
    assert status_text(session.state).startswith("64 tasks on 64 nodes · 704 links · ")
    assert text_of(shown(JobGridView(session))) == "64 tasks on 16 × 4 nodes"
    table = shown(HottestLinks(session))
    table.show_report(session.state.report)
    near = np.flatnonzero(session.state.report.utilisation >= 0.99)
    assert table.caption.text() == f"{12 * near.size:,} within 1 %"


def test_indistinguishable_pairs_of_tasks_share_one_line(session, monkeypatch):
    monkeypatch.setattr("core.load.explain.MAX_FLOWS", 100)
    session.select(Item("link", 20))
    explanation = session.state.explanation
    (part,) = task_parts(explanation)
    assert (part.text, part.load, part.share) == ("too many pairs of tasks", pytest.approx(explanation.load), 1.0)


def test_edits_are_evaluated_as_a_whole(session):
    session.choose("job", Permutation(64))
    before, mapping = session.state.report, session.state.evaluation.case.mapping
    session.editing.apply(swapped(mapping, [0], [63], occupants(mapping, 64)), "Swap two tasks")
    after = session.state.evaluation.case.mapping
    assert after.slots[[0, 63]].tolist() == mapping.slots[[63, 0]].tolist()
    assert not np.allclose(session.state.report.load, before.load)
    np.testing.assert_allclose(session.state.report.load, evaluate(session.state.evaluation.case).load)
