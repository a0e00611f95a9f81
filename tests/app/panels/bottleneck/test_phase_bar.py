"""The bar of phases: widths are times, narrow segments have a legend, and a click shows a phase alone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.panels.bottleneck.phase_bar import PhaseBar
from app.style.colour import category_colours
from app.style.theme import LIGHT
from core.job import Halo, Training
from core.load.phase_times import phase_times
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, Torus
from core.routing import DimensionOrder, Minimal

LEFT = Qt.MouseButton.LeftButton
JOB = Training(tensor=2, data=2, pipeline=2, layers=4, hidden=8, sequence=4, micro_batches=2)
TRAINING = Scenario(
    Dragonfly(routers=2, global_links=1, groups=2, nodes_per_router=2, global_gbs=0.5), JOB, Sequential(), Minimal()
)


@pytest.fixture
def bar_of(session_of, show):
    def make(scenario, width=400, **options):
        session = session_of(scenario, **options)
        bar = PhaseBar(session)
        session.changed.connect(lambda changes: bar.show_state(session.state))
        show(bar, width, 120)
        bar.show_state(session.state)
        return session, bar

    return make


def test_segments_are_as_wide_as_their_times(bar_of):
    session, bar = bar_of(TRAINING, 600)
    times = phase_times(session.state.report)
    total = sum(phase.time for phase in times)
    assert [segment.lines[0] for segment in bar.segments] == ["tensor", "pipeline", "data"]
    for segment, phase in zip(bar.segments, times, strict=True):
        assert segment.width() == pytest.approx(600 * phase.time / total, abs=3)
        assert segment.lines[2] == phase.link_class
        assert f"limited by {phase.link_class} links" in segment.accessibleName()
        assert segment.accessibleName().endswith("% of the total time")


def test_segments_that_are_too_narrow_are_explained_below(bar_of):
    _, bar = bar_of(TRAINING, 600)
    for width in (600, 260, 120):
        bar.resize(width, 120)
        narrow = {s.lines[0] for s in bar.segments if not s.fits(s.width())}
        named = {s.lines[0] for s in bar.segments if s.lines[0] in bar.legend.text()}
        assert named == narrow
        assert bar.legend.isHidden() == (not narrow)
    assert len(narrow) == 3


@pytest.mark.parametrize("theme", [None, LIGHT])
def test_colours_are_those_of_categories(bar_of, theme):
    session, bar = bar_of(TRAINING, **({} if theme is None else {"theme": theme}))
    colours = category_colours(3, session.state.style.theme.dark).tolist()
    image = bar.grab().toImage()
    for segment, colour in zip(bar.segments, colours, strict=True):
        at = segment.mapTo(bar, segment.rect().topLeft())
        assert list(image.pixelColor(at.x() + 2, at.y() + 2).getRgb()) == colour


def test_a_click_shows_a_phase_alone_and_another_click_the_job(bar_of):
    session, bar = bar_of(TRAINING)
    before = session.state.report.load.copy()
    QTest.mouseClick(bar.segments[2], LEFT)
    assert session.state.time.step == 2
    assert session.state.moment is not None
    assert [segment.isChecked() for segment in bar.segments] == [False, False, True]
    assert bar.segments[0].lines[1] != bar.segments[2].lines[1]  # still of the entire job
    QTest.mouseClick(bar.segments[2], LEFT)
    assert session.state.time.step is None
    assert (session.state.report.load == before).all()
    assert not any(segment.isChecked() for segment in bar.segments)


def test_keys_reach_every_segment(bar_of):
    session, bar = bar_of(TRAINING)
    bar.segments[0].setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(bar.segments[0], Qt.Key.Key_Right)
    assert bar.segments[1].hasFocus()
    QTest.keyClick(bar.segments[1], Qt.Key.Key_Space)
    assert session.state.time.step == 1
    assert bar.accessibleDescription().count("limited by") == 3


def test_jobs_without_phases_have_no_segments(bar_of):
    session, bar = bar_of(Scenario(Torus((2, 4)), Halo(2, 4), Sequential(), DimensionOrder()))
    assert bar.isHidden()
    session.propose(TRAINING)
    assert len([segment for segment in bar.segments if segment.isVisible()]) == 3
    session.editing.undo()
    assert (bar.isHidden(), bar.segments) == (True, [])
