"""Background jobs in the build panel: added, brought into focus and removed, each as one step that can be undone."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.background_jobs import slowdowns
from app.model.load_parts import interference
from app.panels.build.jobs import ALONE
from app.panels.build.panel import BuildPanel
from core.files import write_scenario
from core.job import Halo, Pencils
from core.load.scenario import Scenario
from core.mapping import Explicit, Sequential
from core.network import Torus
from core.routing import DimensionOrder

RING = Scenario(Torus((12,)), Halo(2, 2), Sequential(), DimensionOrder())


@pytest.fixture
def panel(session_of, show):
    return show(BuildPanel(session_of(RING)), 260, 1100)


def click(widget):
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def type_name(row, name):
    row.name.setFocus()
    row.name.selectAll()
    QTest.keyClick(row.name, Qt.Key.Key_Delete)
    QTest.keyClicks(row.name, name)
    QTest.keyClick(row.name, Qt.Key.Key_Return)


def test_adding_switching_and_removing_a_copy_are_undone_one_by_one(panel):
    session, jobs = panel.session, panel.jobs
    assert jobs.hint.text() == ALONE
    jobs.copy_asked.emit()
    first, row = jobs.rows
    assert row.isVisible()
    assert (first.name.text(), first.about.text()) == ("Halo, 5-point", "in focus · 4 tasks on 4 nodes")
    assert (row.name.text(), row.about.text()) == (
        "Halo, 5-point 2",
        "no interference · 4 tasks on 4 nodes",
    )
    copied = session.state.wanted
    click(row.focus)
    assert session.state.history.undo_name == "Switch to Halo, 5-point 2"
    assert session.state.evaluation.case.mapping.nodes.tolist() == [4, 5, 6, 7]
    assert [row.name.text() for row in jobs.rows] == ["Halo, 5-point", "Halo, 5-point 2"]
    assert row.about.text() == "in focus · 4 tasks on 4 nodes"
    assert not row.remove.isVisible()
    click(first.remove)
    assert session.state.evaluation.case.neighbours.cases == ()
    assert not row.isVisible()
    session.editing.undo()
    session.editing.undo()
    assert session.state.wanted == copied
    assert row.isVisible()
    session.editing.undo()
    assert session.state.wanted.neighbours == ()


def test_name_stays_with_its_job(panel):
    session, jobs = panel.session, panel.jobs
    jobs.copy_asked.emit()
    copied = session.state.wanted
    for row, name in zip(jobs.rows, ("weather", "ocean"), strict=True):
        type_name(row, name)
    assert session.state.wanted.job_names == ("weather", "ocean")
    colours = [row.swatch.colour.name() for row in jobs.rows]
    click(jobs.rows[1].focus)
    assert session.state.wanted.job_names == ("ocean", "weather")
    assert [row.name.text() for row in jobs.rows] == ["weather", "ocean"]
    assert [row.swatch.colour.name() for row in jobs.rows] == colours
    assert [row.swatch.outlined for row in jobs.rows] == [False, True]
    type_name(jobs.rows[0], "ocean")
    assert "another job is named ocean" in jobs.message.text()
    assert jobs.rows[0].name.text() == "weather"
    type_name(jobs.rows[0], "")
    assert jobs.rows[0].name.text() == "Halo, 5-point"
    for _ in range(4):
        session.editing.undo()
    assert session.state.wanted == copied


def test_slowdowns_of_jobs_with_steps_appear_once_computed(session_of, show):
    nodes = {"allocation": "0,3,6,9", "mapping": Explicit(slots=(0, 3, 6, 9))}
    session = session_of(replace(RING, job=Pencils(2, 2), **nodes))
    panel = show(BuildPanel(session), 260, 1100)
    panel.jobs.copy_asked.emit()
    ((slowed, slows),) = slowdowns(session.state.evaluation.report)
    assert slows > 1
    assert panel.jobs.rows[1].about.text() == f"{interference(slowed, slows)} · 4 tasks on 4 nodes"


def test_job_of_a_file_is_added_under_the_name_of_the_file(panel, tmp_path):
    path = tmp_path / "weather.fabriscope.json"
    write_scenario(path, RING)
    panel.jobs.file_chosen.emit(path)
    assert panel.jobs.rows[1].name.text() == "weather"
    path.write_text("{}")
    panel.jobs.file_chosen.emit(path)
    assert panel.state.error is not None
    assert len(panel.state.evaluation.case.neighbours.cases) == 1


def test_lack_of_free_nodes_is_reported_in_the_section(panel):
    for _ in range(3):
        panel.jobs.copy_asked.emit()
    assert "0 are free" in panel.jobs.message.text()
    assert panel.message.text() == ""


def test_added_job_scrolls_into_view(panel, qtbot):
    panel.resize(260, 400)
    panel.jobs.copy_asked.emit()
    row = panel.jobs.rows[1]
    qtbot.waitUntil(lambda: row.visibleRegion().boundingRect().height() == row.height() > 0)
