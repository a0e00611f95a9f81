"""The stage: the content of a scene, keys, dragging on it, and the desk afterwards."""

import json
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt
from PySide6.QtGui import QExposeEvent, QRegion
from PySide6.QtTest import QTest

from app.model.computation import Computation, Kind
from app.model.scenes import Seen
from app.model.search_run import Budget, SearchSettings
from app.stage.pointer import halo_cursor
from app.stage.stage import other_screen
from app.stage.type_size import scale_for
from app.style.theme import DARK
from app.tour.tour_file import decode_tour
from core.mapping import Random
from core.optimise.method import TwoOpt
from tests.app.stage.scenes import press
from tests.patience import wait
from tests.pointer import move


def shown(stage):
    return {name for name, card in stage.views._cards.items() if card.isVisible()}


def test_arrows_step_through_the_scenes(stage):
    assert (stage.title.text(), stage.counter.text()) == ("Coloured", "1 / 5")
    assert stage.caption.text() == "**64 GB/s**"
    assert shown(stage) == {"machine", "job"}
    overview = stage.machine.camera.scale
    press(stage, Qt.Key.Key_Right)
    assert (stage.title.text(), stage.caption.text()) == ("In order", "0.16 of it")
    assert shown(stage) == {"machine"}
    assert stage.machine.camera.scale > 2 * overview
    assert stage.machine.seen.zoom > 2
    press(stage, Qt.Key.Key_PageDown, Qt.Key.Key_PageDown)
    assert shown(stage) == {"machine", "pinned"}
    press(stage, Qt.Key.Key_Home)
    assert stage.title.text() == "Coloured"
    assert stage.machine.camera.scale == pytest.approx(overview)
    press(stage, Qt.Key.Key_End)
    assert stage.title.text() == "Rounds"


def test_a_scene_that_cannot_be_built_shows_the_reason(stage):
    press(stage, Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert stage.title.text() == "Broken"
    assert "unknown type 'nonsense'" in stage.error.text()
    assert not stage.views.isVisible()
    press(stage, Qt.Key.Key_Right)
    assert stage.views.isVisible()
    assert not stage.error.isVisible()


def test_views_have_the_shares_of_the_scene(stage):
    machine, job = (stage.views._cards[name] for name in ("machine", "job"))
    areas = [card.width() * card.height() for card in (machine, job)]
    assert areas[0] / areas[1] == pytest.approx(3, rel=0.05)
    assert machine.geometry().right() < job.geometry().left()


def test_an_animation_arrives_although_the_view_is_resized(stage, qtbot):
    machine = stage.machine
    near = Seen(focus="supernode 3")
    machine.look(near, 0)
    goal = machine.seen
    machine.fit()
    qtbot.waitUntil(lambda: not machine.moving)
    machine.look(near, 100)
    stage.resize(1000, 700)
    machine.controller.place()  # as a layout does where a caption needs another line
    qtbot.waitUntil(lambda: not machine.moving)
    assert machine.seen.zoom == pytest.approx(goal.zoom, rel=0.2)
    assert machine.seen.shift == pytest.approx(goal.shift, rel=0.1)


def test_hidden_views_pass_the_focus_to_no_other_view(stage):
    stage.job.setFocus()
    press(stage, Qt.Key.Key_Right)
    assert shown(stage) == {"machine"}
    assert not stage.machine.hasFocus()


def drag_task(stage, source, target):
    """Drag the task under one pixel of the task grid onto another pixel."""
    stage.session.set_tool("drag")
    surface = stage.job.event_widget
    QTest.mousePress(surface, Qt.MouseButton.LeftButton, pos=source)
    move(surface, source, target)
    while stage.toolbox.waiting:
        wait(5)
    QTest.mouseRelease(surface, Qt.MouseButton.LeftButton, pos=target)


def test_tasks_are_dragged_on_the_stage_and_the_caption_follows(stage, unshown):
    desk = unshown.session.state.desk
    source, target = (stage.job.heat.cell_rect(*cell).center().toPoint() for cell in ((20, 20), (50, 41)))
    before = stage.session.state.evaluation.case.mapping.slots
    drag_task(stage, source, target)
    state = stage.session.state
    assert not np.array_equal(state.evaluation.case.mapping.slots, before)
    assert state.history.undo_name
    assert stage.caption.text() == f"**{state.report.throughput_gbs:.4g} GB/s**"
    QTest.keyClick(stage, Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    assert np.array_equal(stage.session.state.evaluation.case.mapping.slots, before)
    press(stage, Qt.Key.Key_Escape)
    assert unshown.session.state.evaluation is desk.evaluation


def test_a_caption_shows_times_without_a_timeline_on_the_stage(unshown):
    scene = {"title": "Timed", "scenario": "power775-smallest", "text": "{total_ms:.1f} ms"}
    decoded = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [scene]}).encode())
    unshown.session.tours.open(decoded, None, saved=decoded)
    unshown.present(full=False)
    session, caption = unshown.session, unshown.touring.stage.caption
    assert caption.text() == f"{1e3 * session.state.report.time:.1f} ms"
    before = session.state.report.time
    session.propose(replace(session.state.wanted, mapping=Random(seed=1)))
    assert session.state.report.time != before
    assert caption.text() == f"{1e3 * session.state.report.time:.1f} ms"
    unshown.touring.stage.close()


def test_a_stage_in_a_window_has_the_proportions_of_a_projector(unshown, tour):
    unshown.present(full=False)
    assert 9 * unshown.touring.stage.width() == 16 * unshown.touring.stage.height()
    unshown.touring.stage.close()


def test_a_stage_shown_again_is_painted_in_full_once_it_is_on_screen(unshown, tour, qtbot):
    unshown.present(full=False)
    stage = unshown.touring.stage
    press(stage, Qt.Key.Key_Right)
    stage.close()
    unshown.present(full=False)
    qtbot.waitExposed(stage)
    qtbot.wait(50)
    stage.windowHandle().installEventFilter(stage)  # as before the window is on screen
    painted = []

    class Watch(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                painted.append(event.region().boundingRect())
            return False

    watch = Watch()
    stage.installEventFilter(watch)
    QCoreApplication.sendEvent(stage.windowHandle(), QExposeEvent(QRegion(stage.rect())))
    qtbot.waitUntil(lambda: stage.rect() in painted)
    stage.close()


def test_escape_cancels_first_and_then_leaves(stage, unshown):
    press(stage, Qt.Key.Key_H)
    assert stage.overlays.keys.isVisible()
    press(stage, Qt.Key.Key_Escape)
    assert not stage.overlays.keys.isVisible()
    assert unshown.session.state.presenting
    press(stage, Qt.Key.Key_Escape)
    assert not unshown.session.state.presenting


@pytest.mark.usefixtures("formless")
def test_the_desk_is_restored(window, tour, qtbot):
    window.session.set_hottest_percent(25)
    window.show_page("timeline")
    wait(1)  # until the strip of scenes has its space
    before, shape, camera = window.session.state, window.saveState(), window.machine.camera
    window.present(full=True)
    stage = window.touring.stage
    qtbot.waitUntil(stage.isActiveWindow)
    assert window.isHidden()
    assert stage.isFullScreen()
    assert stage.machine.state.style.theme.scale == scale_for(stage.width(), stage.height()) > 1
    assert window.machine.state.style.theme.scale == 1
    press(stage, Qt.Key.Key_Right)
    QTest.keyClick(stage, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert window.session.state.style.hottest_percent == 1
    press(stage, Qt.Key.Key_Escape)
    after = window.session.state
    assert window.isVisible()
    assert (after.style, after.selection, after.wanted) == (before.style, before.selection, before.wanted)
    assert after.evaluation is before.evaluation
    assert window.machine.camera == camera
    assert window.saveState() == shape


@pytest.mark.usefixtures("formless")
def test_without_a_tour_what_is_on_screen_is_presented(window, qtbot):
    window.machine.open_group(3)
    seen = window.machine.seen
    QTest.keyClick(window, Qt.Key.Key_F11)
    stage = window.touring.stage
    qtbot.waitUntil(stage.isActiveWindow)
    assert "machine" in shown(stage)
    assert "64.0 GB/s" in stage.caption.text()
    assert stage.machine.seen.zoom == pytest.approx(seen.zoom)
    QTest.keyClick(stage, Qt.Key.Key_F11)
    assert not window.session.state.presenting


@pytest.mark.usefixtures("formless")
def test_the_speaker_sees_notes_and_what_comes_next_and_both_machines_move_as_one(window, stage, qtbot):
    presenter, size = window.touring.presenter, window.size()
    assert presenter.isVisible()
    assert not window.touring.panel.isVisible()
    assert presenter.heading.text().startswith("1 / 5   Coloured")
    assert presenter.notes.toPlainText() == "Say hello"
    assert presenter.following.text() == "Next: In order"
    assert not presenter.picture.pixmap().isNull()
    presenter.on.click()
    assert stage.title.text() == "In order"
    window.machine.open_group(7)
    qtbot.waitUntil(lambda: not window.machine.moving)
    assert stage.machine.seen.shift == window.machine.seen.shift
    stage.machine.fit()
    qtbot.waitUntil(lambda: window.machine.controller.fits_all)
    presenter.leave.click()
    assert not window.session.state.presenting
    assert not presenter.isVisible()
    qtbot.waitUntil(window.touring.panel.isVisible)
    assert window.size() == size


@pytest.mark.usefixtures("formless")
def test_the_speaker_sees_elapsed_against_planned_time(window, stage, monkeypatch):
    presenter, tours = window.touring.presenter, window.session.tours
    assert presenter.planned.isHidden()
    assert presenter.status.isHidden()
    tour = tours.scenes.tour
    scenes = [msgspec.structs.replace(scene, minutes=minutes) for scene, minutes in zip(tour.scenes, (2, None, 3, 1, 1),
              strict=True)]  # fmt: skip
    tours.edit(msgspec.structs.replace(tour, minutes=12, scenes=tuple(scenes)), "Plan", 0)
    window.session.presentation.go(1)
    monkeypatch.setattr(presenter, "_began", 0.0)  # now - began is exact
    for seconds, clock, status, role in (
        (250, "4:10", "on time", "good"),
        (451, "7:31", "behind by 0:31", "warning"),
        (765, "12:45", "over time by 0:45", "error"),
    ):
        monkeypatch.setattr("app.stage.presenter.time.monotonic", lambda now=seconds: now)
        presenter._show_time()
        assert presenter.clock.text() == clock
        assert presenter.planned.text() == "of 12:00\nscene 2 planned until 7:00"
        assert (presenter.status.text(), presenter.status.property("role")) == (status, role)


@pytest.mark.usefixtures("formless")
def test_the_speaker_sees_that_the_screen_is_blank(window, stage):
    presenter = window.touring.presenter
    press(stage, Qt.Key.Key_B)
    assert presenter.blank.text() == "The audience sees a black screen. Press any key on the stage to return."
    presenter.on.click()
    assert stage.overlays.blank.isVisible()
    QTest.mouseClick(stage.overlays.blank, Qt.MouseButton.LeftButton)
    assert presenter.blank.isHidden()


def test_steps_play_and_searches_run_on_the_stage(stage, unshown, qtbot):
    def state():
        return unshown.session.state

    budget = Budget(seconds=None, steps=2000, seed=1, workers=1)
    unshown.session.set_search_settings(SearchSettings(method=TwoOpt(), budget=budget))
    unshown.session.presentation.go(1)
    press(stage, Qt.Key.Key_O)
    assert "K keeps it" in stage.counter.text()
    assert state().search.undecided
    press(stage, Qt.Key.Key_K)
    assert state().history.undo_name
    unshown.session.presentation.go(4)
    assert state().moment.step == 2
    QTest.keyClick(stage, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert state().time.step == 3
    QTest.keyClick(stage, Qt.Key.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert stage.player.playing
    qtbot.waitUntil(lambda: state().time.step > 4)
    assert stage.caption.text().startswith("Round ")
    press(stage, Qt.Key.Key_Escape)
    assert not state().presenting
    assert not stage.player.playing


def test_with_two_screens_the_stage_takes_the_other(unshown, monkeypatch):
    own, other = unshown.screen(), object()
    monkeypatch.setattr("app.stage.stage.QGuiApplication.screens", lambda: [own])
    assert other_screen(unshown) is own
    monkeypatch.setattr("app.stage.stage.QGuiApplication.screens", lambda: [own, other])
    assert other_screen(unshown) is other


def test_the_pointer_has_a_halo_that_grows_with_type():
    small, large = (halo_cursor(DARK.scaled(scale), 1.0).pixmap().toImage() for scale in (1.0, 2.0))
    assert large.width() == 2 * small.width()
    middle = small.width() // 2
    ring = {small.pixelColor(x, middle).alpha() for x in range(small.width())}
    assert 0 in ring or small.pixelColor(0, 0).alpha() == 0
    assert small.pixelColor(middle // 2, middle).alpha() == 60


@pytest.mark.usefixtures("formless")
def test_opening_another_file_on_the_desk_ends_the_presentation(window, stage):
    assert not window.commands["file.save"].isEnabled()
    window.files.open_preset("power775-smallest")
    assert not window.session.state.presenting
    assert not stage.isVisible()
    assert window.session.state.evaluation.case.network.nodes == 64
    assert window.commands["file.save"].isEnabled()


def test_type_grows_with_the_screen():
    assert scale_for(1280, 720) == 1.25
    assert scale_for(1920, 1080) == pytest.approx(1.25 * 1.5, abs=0.01)
    assert scale_for(640, 360) == 1


@pytest.mark.parametrize("kind", [Kind.EVALUATION, Kind.SCENE])
def test_the_running_computation_is_shown_next_to_the_scene_number(stage, kind):
    stage.session.show_computation(Computation(kind, "Computing: scene 2"))
    assert stage.counter.text() == "Computing: scene 2 …   1 / 5"
    assert stage.machine.cover.isVisible()
    stage.session.end_computation(kind)
    assert stage.counter.text() == "1 / 5"
    assert stage.machine.cover.isHidden()


def test_the_caption_names_failures_of_the_state_after_an_edit(unshown, qtbot, monkeypatch):
    scene = {
        "title": "Failures", "text": "{resilience.slower} slow it down", "scenario": {
            "fabriscope": 1, "network": {"type": "torus", "dims": [4, 4]},
            "job": {"type": "halo", "rows": 4, "cols": 4}, "mapping": {"type": "random", "seed": 1},
            "routing": {"type": "minimal", "spread": "equal"},
        },
    }  # fmt: skip
    decoded = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": [scene]}).encode())
    unshown.session.tours.open(decoded, None, saved=decoded)
    monkeypatch.setattr(unshown, "show", lambda: None)
    unshown.present(full=False)
    stage, before = unshown.touring.stage, unshown.session.state.cable_failures
    assert stage.caption.text() == f"{before.slower} slow it down"
    unshown.session.choose("mapping", Random(seed=2))
    qtbot.waitUntil(lambda: unshown.session.state.cable_failures not in (None, before))
    after = unshown.session.state.cable_failures
    assert after.slower != before.slower
    assert stage.caption.text() == f"{after.slower} slow it down"
    stage.close()
