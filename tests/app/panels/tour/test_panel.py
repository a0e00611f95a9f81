"""The strip of scenes: shown, moved, renamed, deleted, undone; typed text becomes one step."""

import json

import msgspec
import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest

from app.panels.tour.panel import TourPanel
from app.tour.tour_file import decode_tour
from tests.app.stage.scenes import SCENES


@pytest.fixture
def panel(session, show):
    panel = show(TourPanel(session), 1100, 170)
    tour = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES}).encode())
    session.tours.open(tour, None, saved=tour)
    yield panel
    panel.shut_down()


def titles(panel):
    return [scene.title for scene in panel.session.state.tour.tour.scenes]


def click(panel, number):
    area = panel.strip.visualItemRect(panel.strip.item(number))
    QTest.mouseClick(panel.strip.viewport(), Qt.MouseButton.LeftButton, pos=area.center())


def test_click_shows_the_scene_and_its_caption(panel):
    assert panel.caption.isHidden()
    click(panel, 1)
    state = panel.session.state
    assert state.tour.scene == 1
    assert state.report.throughput_gbs == 10
    assert panel.caption.toPlainText() == "0.16 of it"
    click(panel, 0)
    assert panel.caption.toPlainText() == "64 GB/s"
    assert "font-weight:700" in panel.caption.toHtml()
    click(panel, 2)
    assert "nonsense" in panel.trouble.text()
    assert panel.caption.isHidden()


def test_errors_of_a_caption_are_shown_below_it_in_full(panel):
    click(panel, 0)
    text = "{throughput_gb} and {1/0} and {"
    panel.session.tours.replace(0, msgspec.structs.replace(panel.session.state.tour.tour.scenes[0], text=text), "x")
    lines = panel.trouble.text().splitlines()
    assert lines == [
        "Unmatched { or }; write a figure as {throughput_gbs}.",
        "No such figure: 'throughput_gb'; did you mean throughput_gbs?",
        "1 / 0 cannot be computed: division by zero.",
    ]
    assert panel.trouble.height() >= panel.trouble.heightForWidth(panel.trouble.width())


def test_edit_asks_for_the_scene_on_screen(panel, qtbot):
    click(panel, 1)
    with qtbot.waitSignal(panel.edit_asked, check_params_cb=lambda number: number == 1):
        panel.edit.click()


def test_each_scene_has_its_own_picture(panel):
    icons = [panel.strip.item(k).icon().pixmap(panel.strip.iconSize()).toImage() for k in range(4)]
    assert icons[0] != icons[1]
    assert icons[2] not in icons[:2]
    colours = {icons[1].pixelColor(x, icons[1].height() // 2).name() for x in range(icons[1].width())}
    assert len(colours) > 8


def test_only_the_shown_scene_is_highlighted_with_any_modifiers(panel):
    held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    click(panel, 0)
    QTest.keyPress(panel.strip, Qt.Key.Key_Shift, held)  # as while a scene is added by Ctrl+Shift+F11
    assert QGuiApplication.keyboardModifiers() == held
    for number in (1, 2, 3):
        scene = panel.session.state.tour.tour.scenes[0]
        panel.session.tours.insert(number, msgspec.structs.replace(scene, id=None))
        assert [panel.strip.row(item) for item in panel.strip.selectedItems()] == [number]
        assert panel.strip.currentRow() == number
        area = panel.strip.visualItemRect(panel.strip.item(number))
        assert panel.strip.viewport().rect().contains(area.center())
    QTest.keyRelease(panel.strip, Qt.Key.Key_Shift)
    click(panel, 0)
    area = panel.strip.visualItemRect(panel.strip.item(1))
    control = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(panel.strip.viewport(), Qt.MouseButton.LeftButton, control, area.center())
    assert [panel.strip.row(item) for item in panel.strip.selectedItems()] == [0, 1]


def shows_the_current_scene(panel):
    """Whether the card of the current scene, and no other, is highlighted and lies in the strip."""
    strip, current = panel.strip, panel.session.state.tour.scene
    area = strip.visualItemRect(strip.item(current)).adjusted(2, 0, -2, 0)
    selected = [strip.row(item) for item in strip.selectedItems()]
    return selected == [current] == [strip.currentRow()] and strip.viewport().rect().contains(area)


def changes_of(session):
    scene, presentation, tours = session.state.tour.tour.scenes[-1], session.presentation, session.tours
    return {
        "add": lambda at: tours.insert(at + 1, msgspec.structs.replace(scene, title="New")),
        "duplicate": presentation.duplicate,
        "duplicate the first": lambda at: presentation.duplicate(0),
        "delete": lambda at: presentation.delete({at}),
        "delete the last": lambda at: presentation.delete({len(tours.scenes.tour.scenes) - 1}),
        "delete before": lambda at: presentation.delete({at - 1}),
        "delete several": lambda at: presentation.delete({at - 2, at, at + 1}),
        "right": lambda at: tours.move(at, at + 1),
        "to the first place": lambda at: tours.move(at, 0),
        "another over it": lambda at: tours.move(0, 11),
        "words": lambda at: tours.replace(at, msgspec.structs.replace(tours.scenes.tour.scenes[at], text="x"), "x"),
        "next": lambda at: presentation.step(1),
        "open": lambda at: (tours.open(tours.scenes.tour, None, saved=None), presentation.go(7)),
    }


CHANGES = ["add", "duplicate", "duplicate the first", "delete", "delete the last", "delete before", "delete several",
           "right", "to the first place", "another over it", "words", "next", "open"]  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("at", [4, 10])
def test_the_current_scene_is_highlighted_alone_and_in_view_after_every_command(panel, name, at):
    session = panel.session
    scenes = [{"title": f"Scene {k}", "scenario": "power775-smallest"} for k in range(12)]
    session.tours.open(decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": scenes}).encode()), None,
                       saved=None)  # fmt: skip
    session.presentation.go(at)
    assert shows_the_current_scene(panel)
    panel.strip.horizontalScrollBar().setValue(0 if at > 5 else panel.strip.horizontalScrollBar().maximum())
    changes_of(session)[name](at)
    assert shows_the_current_scene(panel)
    if name not in ("next", "open"):
        session.tours.undo()
        if name == "add":  # the screen shows no scene any more
            assert session.state.tour.scene is None
            assert panel.strip.selectedItems() == []
        else:
            assert shows_the_current_scene(panel)
        session.tours.redo()
        assert name == "add" or shows_the_current_scene(panel)


def test_the_scene_after_a_deleted_one_is_shown(panel):
    click(panel, 1)
    panel.session.presentation.delete({1})
    assert panel.session.state.tour.scene == 1
    assert panel.session.state.tour.tour.scenes[1].title == "Broken"
    panel.session.presentation.delete({1, 2})
    assert panel.session.state.tour.scene == 0
    panel.session.presentation.delete({0})
    assert len(titles(panel)) == 1
    assert panel.session.state.tour.scene == 0


def test_scenes_are_moved_and_deleted_by_keys(panel):
    click(panel, 1)
    QTest.keyClick(panel.strip, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert titles(panel) == ["In order", "Coloured", "Broken", "Beside"]
    assert panel.session.state.tour.scene == 0
    click(panel, 2)
    QTest.keyClick(panel.strip, Qt.Key.Key_Delete)
    assert titles(panel) == ["In order", "Coloured", "Beside"]
    panel.session.tours.undo()
    panel.session.tours.undo()
    assert titles(panel) == [scene["title"] for scene in SCENES]


def test_a_scene_that_another_names_cannot_be_deleted(panel):
    click(panel, 0)
    QTest.keyClick(panel.strip, Qt.Key.Key_Delete)
    assert len(titles(panel)) == 4
    assert panel.refusal.text() == "Scene 4 is compared with scene 1; delete or change scene 4 first."
    click(panel, 3)
    QTest.keyClick(panel.strip, Qt.Key.Key_Delete)
    assert panel.refusal.isHidden()
    click(panel, 0)
    QTest.keyClick(panel.strip, Qt.Key.Key_Delete)
    assert len(titles(panel)) == 2


def test_a_scene_is_renamed_in_the_strip(panel):
    panel.strip.item(3).setText("4  Side by side")
    assert titles(panel)[3] == "Side by side"
    assert panel.strip.item(3).text() == "4  Side by side"


@pytest.mark.parametrize(("target", "order"), [(2, (1, 2, 0, 3)), (None, (1, 2, 3, 0))])
def test_dropped_scene_moves_to_the_drop_position(panel, target, order):
    before = titles(panel)
    click(panel, 0)
    last = panel.strip.visualItemRect(panel.strip.item(3))
    at = last.center() + last.topRight() if target is None else panel.strip.visualItemRect(panel.strip.item(2)).center()
    nothing = QMimeData(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    panel.strip.dropEvent(QDropEvent(at.toPointF(), Qt.DropAction.MoveAction, *nothing))
    assert titles(panel) == [before[k] for k in order]
    assert panel.strip.count() == 4
    panel.session.tours.undo()
    assert titles(panel) == before


def test_strip_accepts_only_its_own_scenes(panel):
    nothing = QMimeData(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for kind, handle in ((QDragEnterEvent, panel.strip.dragEnterEvent), (QDragMoveEvent, panel.strip.dragMoveEvent)):
        event = kind(panel.strip.rect().center(), Qt.DropAction.CopyAction, *nothing)
        handle(event)
        assert not event.isAccepted()
