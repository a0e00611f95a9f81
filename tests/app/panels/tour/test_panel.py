"""The strip of scenes: shown, moved, renamed, deleted, undone; typed text becomes one step."""

import json

import msgspec
import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QGuiApplication
from PySide6.QtTest import QTest

from app.panels.tour.panel import TourPanel
from app.stage.caption import caption_text
from app.tour.tour_file import decode_tour, encode_tour
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.routing import DimensionOrder
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


def test_a_click_shows_the_scene_and_its_words(panel):
    assert not panel._words.isVisible()
    click(panel, 1)
    state = panel.session.state
    assert state.tour.scene == 1
    assert state.report.throughput_gbs == 10
    assert panel.heading.text() == "In order"
    assert panel.text.toPlainText() == SCENES[1]["text"]
    click(panel, 2)
    assert "nonsense" in panel.trouble.text()


def test_each_scene_has_a_picture_of_its_own(panel):
    icons = [panel.strip.item(k).icon().pixmap(panel.strip.iconSize()).toImage() for k in range(4)]
    assert icons[0] != icons[1]
    assert icons[2] not in icons[:2]
    colours = {icons[1].pixelColor(x, icons[1].height() // 2).name() for x in range(icons[1].width())}
    assert len(colours) > 8


def test_what_is_typed_is_one_step_that_can_be_undone(panel):
    click(panel, 1)
    panel.text.setFocus()
    panel.text.selectAll()
    QTest.keyClicks(panel.text, "Now {throughput_gbs}")
    panel.heading.setFocus()
    tours, state = panel.session.tours, panel.session.state.tour
    assert state.tour.scenes[1].text == "Now {throughput_gbs}"
    assert state.tour_undo == "Words of scene 2"
    tours.undo()
    assert panel.session.state.tour.tour.scenes[1].text == SCENES[1]["text"]
    assert not panel.session.state.tour_dirty


MISTAKES = {
    "{throughput_gbs": "a { or } stands alone",
    "and {": "a { or } stands alone",
    "{throughput_gbs/2:.3q}": "'.3q' is no format of a number",
    "{open('x')}": "\"open('x')\" cannot be computed",
    "x" * 2001: "2,001 characters are too many",
    "{1/0}": "1 / 0 cannot be computed",
    "{throughput_gbs:d}": "the format 'd' does not take a number that is a fraction",
}


@pytest.mark.parametrize("leave", ["click", "focus", "key"])
@pytest.mark.parametrize("typed", MISTAKES)
def test_whatever_is_typed_is_kept_and_its_error_stands_below(panel, typed, leave):
    click(panel, 0)
    panel.text.setPlainText(typed)
    panel.notes.setPlainText("my notes")
    panel.heading.setText("My title")
    if leave == "click":
        click(panel, 1)
    elif leave == "focus":
        panel.strip.setFocus()
        panel.commit()
    else:
        panel.session.presentation.step(1)
    if leave != "focus":
        assert panel.heading.text() == panel.session.state.tour.tour.scenes[1].title == "In order"
        assert panel.trouble.isHidden()
        click(panel, 0)
    scene = panel.session.state.tour.tour.scenes[0]
    assert (scene.title, scene.text, scene.notes) == ("My title", typed, "my notes")
    assert (panel.text.toPlainText(), panel.notes.toPlainText()) == (typed, "my notes")
    assert panel.trouble.isVisible()
    assert MISTAKES[typed] in panel.trouble.toolTip()
    assert panel.session.state.error is None
    assert decode_tour(encode_tour(panel.session.state.tour.tour)) == panel.session.state.tour.tour
    panel.session.tours.undo()
    assert panel.text.toPlainText() == SCENES[0]["text"]
    assert panel.trouble.isHidden()
    panel.session.tours.redo()
    assert panel.text.toPlainText() == typed


def test_the_shown_scene_is_highlighted_alone_whatever_keys_are_held(panel):
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
        if name == "add":  # what is on screen is no scene any more
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


def test_a_figure_that_does_not_exist_is_told_under_the_caption(panel):
    click(panel, 0)
    panel.text.setPlainText("{throughput_gb}")
    panel.commit()
    assert panel.trouble.text() == "Caption: there is no figure 'throughput_gb'; did you mean throughput_gbs?"
    assert caption_text(panel.session.state, panel.session.tours.scenes) == "⚠ there is no figure 'throughput_gb'"
    for right in ("{throughput_gbs}", "{D_max_load}"):
        panel.text.setPlainText(right)
        panel.commit()
        assert panel.trouble.isHidden()
    # The desk may have another network by now.
    panel.session.propose(Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder()))
    assert panel.session.state.tour.scene == 0
    assert panel.trouble.isHidden()


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
    assert "no scene has the id 'coloured'" in str(panel.session.state.error)


def test_a_scene_is_renamed_in_the_strip(panel):
    panel.strip.item(3).setText("4  Side by side")
    assert titles(panel)[3] == "Side by side"
    assert panel.strip.item(3).text() == "4  Side by side"


@pytest.mark.parametrize(("target", "order"), [(2, (1, 2, 0, 3)), (None, (1, 2, 3, 0))])
def test_a_scene_that_is_let_go_stands_there(panel, target, order):
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


def test_nothing_from_elsewhere_is_let_into_the_strip(panel):
    nothing = QMimeData(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    for kind, handle in ((QDragEnterEvent, panel.strip.dragEnterEvent), (QDragMoveEvent, panel.strip.dragMoveEvent)):
        event = kind(panel.strip.rect().center(), Qt.DropAction.CopyAction, *nothing)
        handle(event)
        assert not event.isAccepted()
