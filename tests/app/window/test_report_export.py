"""The window's report: of the state on screen, its history and A, written while the window stays responsive."""

import json
import time

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.cli.main import main
from app.model.what_if import FailureChoice
from app.session.session import Session
from app.window.report_export import ReportExport
from app.wording.numbers import gbs
from core.files import write_scenario
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from tests.app.report.reader import Page

TORUS = Scenario(Torus(dims=(4, 4, 4)), Halo(rows=8, cols=8), Sequential(), DimensionOrder())
FEW = Scenario(Percs(supernodes=4), Halo(rows=16, cols=32), Random(1), PercsDirect())
POWER = Scenario(Percs(supernodes=32, d_links=4), Halo(rows=64, cols=64), Random(1), PercsDirect())


@pytest.fixture
def desk(qtbot):
    """A session that works in threads, and a window for it."""
    made = []

    def make(scenario):
        session = Session.of(scenario)
        parent = QWidget()
        qtbot.addWidget(parent)
        made.append(session)
        return session, parent

    yield make
    for session in made:
        session.close()


def written(session, parent, path, qtbot):
    messages = []
    ReportExport(session, path, messages.append, parent)
    qtbot.waitUntil(lambda: bool(messages))
    assert messages == [f"Wrote {path}"]
    return path.read_bytes()


def test_the_report_has_the_history_and_the_pinned_state_and_can_be_reproduced(desk, qtbot, tmp_path, monkeypatch):
    session, parent = desk(TORUS)
    session.choose("mapping", Random(2))
    qtbot.waitUntil(lambda: session.state.evaluation.case.scenario.mapping == Random(2))
    session.pin_scenario(TORUS)
    qtbot.waitUntil(lambda: session.state.comparison.reference is not None)
    page = Page(written(session, parent, tmp_path / "r.html", qtbot))
    report, pinned = session.state.evaluation.report, session.state.comparison.reference.report
    both = f"{gbs(pinned.throughput_gbs)} → {gbs(report.throughput_gbs)} GB/s per node"
    assert f"A: the pinned state. B: this scenario. {both}" in page.text
    assert [row[0] for row in page.table("Step", "Change")] == ["0", "1"]
    assert "Throughput after each step." in page.text
    assert {"difference-dark", "machine-dark"} <= {name.rpartition("-")[0] for name in page.ids}
    assert page.outside == []
    content = next(text for text in page.texts if text.lstrip().startswith("{"))
    (tmp_path / "scenario.fabriscope.json").write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["report", "scenario.fabriscope.json", "--out", "again.html"]) == 0
    again = Page((tmp_path / "again.html").read_bytes())
    assert both in again.text
    heads = "Class", "Links"
    assert again.table(*heads) == page.table(*heads)


def test_a_saved_scenario_is_named_and_an_invalid_folder_is_reported(desk, qtbot, tmp_path):
    session, parent = desk(TORUS)
    path = tmp_path / "torus.fabriscope.json"
    write_scenario(path, TORUS)
    session.saved(path, session.state.wanted)
    page = Page(written(session, parent, tmp_path / "r.html", qtbot))
    assert f"fabriscope report {path} --out r.html" in page.text
    ReportExport(session, tmp_path / "nowhere" / "r.html", pytest.fail, parent)
    qtbot.waitUntil(lambda: session.state.error is not None)
    assert "its folder does not exist" in session.state.error.message


def test_the_report_shows_the_state_on_screen_not_a_refused_scenario(desk, qtbot, tmp_path):
    session, parent = desk(TORUS)
    session.choose("job", Halo(rows=80, cols=80))
    qtbot.waitUntil(lambda: session.state.error is not None)
    page = Page(written(session, parent, tmp_path / "r.html", qtbot))
    content = json.loads(next(text for text in page.texts if text.lstrip().startswith("{")))
    assert (content["job"]["rows"], content["job"]["cols"]) == (8, 8)


def test_a_cancelled_report_leaves_nothing(desk, qtbot, tmp_path):
    session, parent = desk(POWER)
    export = ReportExport(session, tmp_path / "r.html", pytest.fail, parent)
    export.dialog.canceled.emit()
    session.wait_idle()
    qtbot.wait(50)
    assert list(tmp_path.iterdir()) == []


def test_the_window_stays_usable_meanwhile(desk, qtbot, tmp_path):
    written(*desk(FEW), tmp_path / "first.html", qtbot)  # all is compiled and loaded
    session, parent = desk(POWER)
    gaps, last = [], time.perf_counter()

    def beat():
        nonlocal last
        now = time.perf_counter()
        gaps.append(now - last)
        last = now

    timer = QTimer(interval=2)
    timer.timeout.connect(beat)
    timer.start()
    written(session, parent, tmp_path / "r.html", qtbot)
    timer.stop()
    assert max(gaps) < sum(gaps) / 3


def test_the_report_has_the_failures_of_the_scenario_on_screen(desk, qtbot, tmp_path, capsys):
    session, parent = desk(TORUS)
    session.what_if.choose(FailureChoice("cables", 8))
    session.what_if.start()
    qtbot.waitUntil(lambda: session.state.failures is not None)
    path = tmp_path / "r.html"
    page = Page(written(session, parent, path, qtbot))
    figures = session.state.failures.figures
    assert [cells[0] for cells in page.table("Failure", "Throughput GB/s per node")] == [
        r.failure for r in figures.rows
    ]
    assert "--failures cables --sample 8 --out r.html" in page.text
    assert main(["evaluate", str(path)]) == 0
    assert "hold" in capsys.readouterr().out
    session.choose("mapping", Random(2))
    qtbot.waitUntil(lambda: session.state.evaluation.case.scenario.mapping == Random(2))
    assert "failures" not in Page(written(session, parent, tmp_path / "s.html", qtbot)).ids
