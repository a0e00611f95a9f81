"""The keys of a clicker: blank screens, numbers of scenes, the spotlight; letters edit only where a scene allows it."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QKeySequence, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions.stage_commands import stage_commands
from app.actions.table import ACTIONS
from app.wording.stage_keys import STAGE_KEYS
from tests.app.stage.scenes import press
from tests.pointer import move

Key, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


def sequences(text):
    return QKeySequence.listFromString(text) if text else []


@pytest.mark.parametrize(("key", "colour"), [("B", "black"), (".", "black"), ("W", "white"), (",", "white")])
@pytest.mark.parametrize("back", [Key.Key_Right, Key.Key_B, Key.Key_Escape, "click"])
def test_a_key_blanks_the_screen_and_any_key_returns_to_the_scene(stage, key, colour, back):
    before = stage.session.state
    QTest.keyClick(stage, key)
    assert stage.overlays.blank.isVisible()
    assert stage.overlays.blank.geometry() == stage.rect()
    assert stage.overlays.blank.grab().toImage().pixelColor(50, 50) == QColor(colour)
    QTest.keyPress(stage.overlays.blank, Key.Key_Shift)
    assert stage.overlays.blank.isVisible()
    if back == "click":
        QTest.mouseClick(stage.overlays.blank, Qt.MouseButton.LeftButton)
    else:
        QTest.keyClick(QApplication.focusWidget(), back)
    assert stage.overlays.blank.isHidden()
    assert stage.session.state.presenting
    assert stage.session.state.tour is before.tour
    press(stage, Key.Key_Right)
    assert stage.session.state.tour.scene == 1


def test_space_goes_to_the_next_scene_and_backspace_to_the_previous(stage):
    press(stage, Key.Key_Space)
    assert stage.title.text() == "In order"
    stage.job.surface.setFocus()
    press(stage.job.surface, Key.Key_Space)
    assert stage.title.text() == "Broken"
    assert stage.session.state.marked.size == 0
    press(stage, Key.Key_Backspace)
    assert stage.title.text() == "In order"
    QTest.keyClick(stage, Key.Key_Space, SHIFT)
    assert stage.title.text() == "Coloured"


def test_a_number_and_enter_go_to_that_scene(stage):
    press(stage, Key.Key_4)
    assert stage.overlays.number.isVisible()
    assert stage.overlays.number.text() == "Scene 4 of 5"
    assert stage.title.text() == "Coloured"
    press(stage, Key.Key_Return)
    assert stage.title.text() == "Beside"
    assert stage.overlays.number.isHidden()
    press(stage, Key.Key_1, Key.Key_2, Key.Key_Enter)
    assert stage.overlays.number.text() == "No scene 12 (1 to 5)"
    assert stage.title.text() == "Beside"
    press(stage, Key.Key_2, Key.Key_Escape)
    assert stage.overlays.number.isHidden()
    assert stage.session.state.presenting
    press(stage, Key.Key_Return)
    assert stage.title.text() == "Beside"
    press(stage, Key.Key_3, Key.Key_Home)
    assert stage.overlays.number.isHidden()
    assert stage.session.state.edit.target is None


def test_letters_edit_only_if_the_scene_allows_it(stage):
    before = stage.session.state
    QTest.keyClicks(stage, "torusvxdgkpcemnaz")
    assert stage.session.state is before
    press(stage, Key.Key_Right)
    QTest.keyClicks(stage, "x")
    assert stage.session.state.edit.tool == "swap"
    QTest.keyClick(stage, Key.Key_B, SHIFT)
    assert stage.session.state.edit.tool == "paint"
    press(stage, Key.Key_End)
    QTest.keyClicks(stage, "x")
    assert stage.session.state.edit.tool == "paint"


def test_without_a_tour_letters_edit(unshown, monkeypatch, qtbot):
    monkeypatch.setattr(unshown, "show", lambda: None)
    unshown.present(full=False)
    stage = unshown.touring.stage
    qtbot.waitUntil(stage.isActiveWindow)
    QTest.keyClicks(stage, "x")
    assert unshown.session.state.edit.tool == "swap"
    stage.close()


def test_the_stage_has_no_key_twice():
    keys = [key for spec in stage_commands(ACTIONS) for key in sequences(spec.shortcut)]
    keys += [key for row in STAGE_KEYS if row.name for key in sequences(row.sequences)]
    keys += sequences("; ".join("0123456789")) + sequences("Return; Enter")
    assert len(keys) == len(set(keys))


def test_the_spotlight_follows_the_pointer_and_repaints_no_view(stage, monkeypatch, qtbot):
    stage.setUpdatesEnabled(True)
    press(stage, Key.Key_L)
    spot = stage.overlays.spotlight
    assert spot.isVisible()
    assert spot.geometry() == stage.rect()
    painted = []
    for view in (stage.machine, stage.job):
        monkeypatch.setattr(type(view), "paintEvent", lambda self, event: painted.append(self), raising=False)
    move(spot, QPoint(300, 200), QPoint(500, 300))
    QApplication.processEvents()
    assert spot.disc.center() == QPoint(500, 300)
    image = spot.grab().toImage()
    plain, ratio = spot._bright.toImage(), spot.devicePixelRatioF()
    inside, outside = (QPointF(*at) * ratio for at in ((500, 300), (20, 20)))
    assert image.pixelColor(inside.toPoint()) == plain.pixelColor(inside.toPoint())
    assert image.pixelColor(outside.toPoint()).lightness() < max(plain.pixelColor(outside.toPoint()).lightness(), 1)
    assert not painted
    size = spot.disc.width()
    wheel = QWheelEvent(
        QPointF(500, 300), spot.mapToGlobal(QPointF(500, 300)), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(spot, wheel)
    assert spot.disc.width() > size
    before = stage.session.state
    QTest.mouseClick(spot, Qt.MouseButton.LeftButton, pos=QPoint(500, 300))
    assert stage.session.state is before
    assert not stage.machine.isVisible()
    stage.session.set_hottest_percent(1)
    old = spot._bright.cacheKey()
    qtbot.waitUntil(lambda: spot._bright.cacheKey() != old)
    assert not stage.machine.isVisible()
    press(stage, Key.Key_Escape)
    assert spot.isHidden()
    assert stage.machine.isVisible()
    assert stage.session.state.presenting
    for key in (Key.Key_Right, Key.Key_H, Key.Key_4, Key.Key_B):
        press(stage, Key.Key_L)
        assert spot.isVisible()
        press(stage, key)
        assert spot.isHidden()
    assert stage.overlays.keys.isVisible()
    assert stage.overlays.number.isVisible()
    assert stage.overlays.blank.isVisible()


def test_f5_begins_with_the_first_scene_and_shift_f5_with_the_scene_on_screen(unshown, tour, monkeypatch):
    monkeypatch.setattr(unshown, "show", lambda: None)
    monkeypatch.setattr(unshown, "hide", lambda: None)
    for name, scene in (("view.present", 1), ("view.present-first", 0)):
        unshown.session.presentation.go(1)
        unshown.commands[name].trigger()
        assert unshown.session.state.presenting
        assert unshown.session.state.tour.scene == scene
        QTest.keyClick(unshown.touring.stage, Key.Key_F5)  # as some clickers send twice
        assert unshown.session.state.presenting
        unshown.touring.stage.close()
    unshown.tours.present_from(3)
    assert unshown.session.state.tour.scene == 3
    unshown.touring.stage.close()
    shortcuts = {name: unshown.commands[name].shortcuts() for name in ("view.present", "view.present-first")}
    assert shortcuts == {"view.present": sequences("F11; Shift+F5"), "view.present-first": sequences("F5")}


def test_the_card_lists_keys_of_editing_where_they_work(stage):
    press(stage, Key.Key_H)
    assert "black screen" in stage.overlays.keys.text()
    assert "swap" not in stage.overlays.keys.text()
    press(stage, Key.Key_H, Key.Key_Right, Key.Key_H)
    assert "swap" in stage.overlays.keys.text()
    assert stage.rect().contains(stage.overlays.keys.geometry())
