"""The entire window during a computation: all results are dimmed, and nothing is claimed about a pending state."""

import re
import time

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMainWindow

from app.model.computation import Computation, Kind
from app.model.performance import LAST_CHANGE, Baseline, Performance
from app.panels.comparison.panel import ComparisonPanel
from app.storage.presets import worked_example
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.progress_bar import ActivityBar
from app.window.launch import _frame, _Starter
from app.window.main_window import Window
from core.kernels import compile_events
from core.mapping import ColouredBlocks
from tests.app.sessions import session_on

LOADS = Computation(Kind.EVALUATION, "Computing: Indirect routing")
CLAIMS = re.compile(
    "the same|unchanged|as before|as with|nothing to compare|in both|carries the same|different network"
)


@pytest.fixture
def pinned(lent):
    """The window that compares a state with itself, and says so."""
    session = lent.session
    report = session.state.evaluation.report
    session.evaluator.show(session.state.evaluation, Baseline(Performance.of(report), LAST_CHANGE))
    session.set_reference(session.state.evaluation)
    tabs = lent.centre.charts.tabs
    tabs.setCurrentIndex(next(k for k in range(tabs.count()) if tabs.tabText(k) == ComparisonPanel.title))
    yield lent
    session.end_computation(Kind.EVALUATION)
    session.set_reference(None)


def shown_texts(window):
    return [label.text() for label in window.findChildren(QLabel) if label.isVisible() and CLAIMS.search(label.text())]


def test_no_result_is_shown_for_a_pending_state(pinned):
    assert len(shown_texts(pinned)) >= 2
    pinned.session.show_computation(LOADS)
    assert shown_texts(pinned) == []
    assert pinned.centre.charts.subtitle.text() == "Computing: Indirect routing …"
    pinned.session.end_computation(Kind.EVALUATION)
    assert len(shown_texts(pinned)) >= 2


def test_the_form_and_the_menus_stay_clear(pinned):
    pinned.session.show_computation(LOADS)
    covers = [cover for cover in pinned.findChildren(OutdatedCover) if cover.isVisible()]
    assert {cover.parentWidget() for cover in covers} >= {pinned.machine, pinned.job, pinned.bottleneck}
    assert not any(pinned.build.isAncestorOf(cover) for cover in covers)
    assert pinned.statusBar().text.text() == "Computing: Indirect routing …"
    assert not pinned.statusBar().strip.isVisible()
    assert pinned.commands["work.cancel"].isEnabled()


def test_the_line_next_to_the_tabs_is_dimmed_with_the_view_in_front(lent):
    charts, names = lent.centre.charts, [lent.centre.charts.tabs.tabText(k) for k in range(3)]
    cover = next(cover for cover in charts.subtitle.findChildren(OutdatedCover))
    lent.session.show_computation(LOADS)
    for name, dimmed in (("Distribution", True), ("History", False), ("Timeline", True)):
        charts.tabs.setCurrentIndex(names.index(name))
        assert cover.isVisible() == dimmed
    lent.session.end_computation(Kind.EVALUATION)
    assert cover.isHidden()


@pytest.fixture
def threaded(settings, unadvised, painted, monkeypatch):
    """A window whose work runs in threads, where the search for coloured blocks ends only when it is cancelled."""

    def search(spec, job, network, progress):
        while True:
            progress(0.5)
            time.sleep(0.01)

    monkeypatch.setattr(ColouredBlocks, "search", search)
    window = Window(session_on(worked_example()), settings)
    window.setUpdatesEnabled(False)  # no test here checks a picture
    window.show()
    yield window
    window.close()
    window.deleteLater()


def test_a_search_for_a_mapping_is_cancelled_by_a_click(threaded, qtbot):
    session, strip = threaded.session, threaded.bottleneck.headline.pending
    section, shown, wanted = threaded.build.sections["mapping"], session.state.evaluation, session.state.wanted
    assert wanted.mapping.tag() != ColouredBlocks.tag()
    section.choose_family(ColouredBlocks)
    qtbot.waitUntil(lambda: strip.isVisible() and session.state.pending.fraction > 0)
    assert strip.text == "Computing: Coloured blocks mapping …"
    assert threaded.statusBar().text.text() == "Computing: Coloured blocks mapping …"
    qtbot.mouseClick(strip.cancel, Qt.MouseButton.LeftButton)
    assert not strip.isVisible()
    assert (session.state.evaluation, session.state.wanted, session.state.computations) == (shown, wanted, ())
    assert section.family is type(wanted.mapping)


@pytest.fixture
def starter(qtbot):
    frame = _frame("#000000", "#ffffff")
    qtbot.addWidget(frame)
    starter = _Starter(frame, None)
    yield starter
    starter.close()


def test_the_first_frame_shows_the_running_computation(starter, qtbot):
    def text():
        assert isinstance(starter.frame, QMainWindow)
        return starter.frame.centralWidget().findChild(QLabel).text()

    starter._show_progress(0.25)
    assert text() == "Fabriscope · Computing loads … 25 %"
    bar = starter.frame.centralWidget().findChild(ActivityBar)
    assert bar.chunk == (0.0, 0.25)
    compile_events.begin()
    qtbot.waitUntil(lambda: text() == "Fabriscope · Preparing for first use …")
    starter._show_progress(1.0)
    assert text() == "Fabriscope · Preparing for first use …"
    assert bar.chunk != (0.0, 1.0)  # how long it takes is unknown
    compile_events.end()
    qtbot.waitUntil(lambda: text() == "Fabriscope · Computing loads …")
