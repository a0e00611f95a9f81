"""Tours in the window: opened, created from the state on screen, saved, refused."""

import json

import pytest
from PySide6.QtWidgets import QFileDialog

from app.actions.file_commands import Button, FileCommands
from app.actions.tour_commands import SCENE_COMMANDS, TourCommands
from app.storage.tours import SUFFIX
from app.tour.tour_file import read_tour
from core.mapping import Random
from tests.app.stage.scenes import SCENES


@pytest.fixture
def file(tmp_path):
    path = tmp_path / f"talk{SUFFIX}"
    path.write_text(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES}))
    return path


def test_a_tour_is_opened_like_any_file(lent, file):
    lent.files.open(file)
    state = lent.session.state
    assert len(state.tour.tour.scenes) == 4
    assert state.tour.scene == 0
    assert lent.touring.panel.isVisible()
    assert not state.tour_dirty
    assert lent.files.recent == [file]


def test_unsaved_work_is_asked_about_before_a_tour_replaces_it(lent, file, monkeypatch):
    lent.session.propose(lent.session.state.wanted.with_choice("mapping", Random(seed=4)))
    mine, asked = lent.session.state.wanted, []
    monkeypatch.setattr(FileCommands, "ask_about_changes", lambda self: asked.append(0) or Button.Cancel)
    lent.files.open(file)
    lent.tours.open_shipped("mapping-on-percs")
    assert lent.session.state.tour.tour is None
    assert lent.session.state.wanted == mine
    monkeypatch.setattr(FileCommands, "ask_about_changes", lambda self: asked.append(0) or Button.Discard)
    lent.tours.open_shipped("mapping-on-percs")
    assert len(asked) == 3
    assert lent.windowTitle().startswith("Mapping a halo exchange on Power 775[*]")
    assert not lent.session.state.dirty
    lent.session.editing.undo()
    assert lent.session.state.wanted == mine
    assert lent.session.state.dirty


@pytest.mark.parametrize("edited", [False, True])
@pytest.mark.parametrize("unsaved", [False, True])
def test_a_scene_is_never_saved_over_the_users_file(lent, file, tmp_path, monkeypatch, edited, unsaved):
    window, mine = lent, tmp_path / "mine.fabriscope.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **named: (str(mine), ""))
    assert window.files.save()
    before = mine.read_bytes()
    if unsaved:
        window.session.propose(window.session.state.wanted.with_choice("mapping", Random(seed=3)))
        monkeypatch.setattr(FileCommands, "ask_about_changes", lambda self: Button.Discard)
    window.tours.open(file)
    window.session.presentation.go(1)
    assert window.windowTitle().startswith("T[*]")
    if edited:
        window.session.propose(window.session.state.wanted.with_choice("mapping", Random(seed=4)))
        assert window.session.state.dirty
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *args, **named: ("", ""))
    assert not window.files.save()  # it asked for the file
    assert mine.read_bytes() == before
    while window.session.state.history.undo_name:
        window.session.editing.undo()
    assert window.windowTitle().startswith("mine.fabriscope.json[*]")
    assert window.files.save()


def test_invalid_tour_shows_one_line_and_changes_nothing(lent, tmp_path):
    path = tmp_path / f"bad{SUFFIX}"
    path.write_text('{"fabriscope_tour": 1}')
    before = lent.session.state.evaluation
    lent.tours.open(path)
    assert str(lent.session.state.error) == f"file: {path.name} cannot be opened: title: is missing"
    assert lent.session.state.tour.tour is None
    assert lent.session.state.evaluation is before


def test_state_on_screen_becomes_a_scene_and_is_restored(lent, tmp_path, monkeypatch):
    session = lent.session
    session.set_hottest_percent(25)
    lent.machine.open_group(3)
    seen = lent.machine.seen
    lent.commands["tour.add"].trigger()
    scene = session.state.tour.tour.scenes[0]
    assert scene.views[0].view == "machine"
    assert scene.hottest_percent == 25
    assert scene.camera == seen
    session.set_hottest_percent(100)
    lent.machine.fit()
    lent.commands["tour.add"].trigger()
    assert len(session.state.tour.tour.scenes) == 2
    session.presentation.go(0)
    assert session.state.style.hottest_percent == 25
    assert lent.machine.seen.zoom == pytest.approx(seen.zoom)
    path = tmp_path / "mine"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(path), f"Tours (*{SUFFIX})"))
    assert session.state.tour_dirty
    assert lent.isWindowModified()
    lent.commands["tour.save"].trigger()
    assert not session.state.tour_dirty
    assert lent.isWindowModified() == session.state.dirty
    assert read_tour(tmp_path / f"mine{SUFFIX}") == session.state.tour.tour


def test_unsaved_scenes_are_asked_about(lent, file, monkeypatch):
    lent.commands["tour.add"].trigger()
    monkeypatch.setattr(TourCommands, "ask_about_changes", lambda self: Button.Cancel)
    lent.tours.open(file)
    assert len(lent.session.state.tour.tour.scenes) == 1
    monkeypatch.setattr(TourCommands, "ask_about_changes", lambda self: Button.Discard)
    lent.tours.open(file)
    assert len(lent.session.state.tour.tour.scenes) == 4
    lent.commands["tour.close"].trigger()
    assert lent.session.state.tour.tour is None
    assert not lent.touring.panel.isVisible()


def test_updated_scene_takes_the_state_on_screen_and_keeps_its_texts(lent, file):
    lent.tours.open(file)
    lent.session.set_hottest_percent(1)
    lent.commands["tour.update"].trigger()
    scene = lent.session.state.tour.tour.scenes[0]
    assert (scene.title, scene.id, scene.hottest_percent) == ("Coloured", "coloured", 1)
    lent.commands["tour.undo"].trigger()
    assert lent.session.state.tour.tour.scenes[0].hottest_percent == 100


def test_text_just_typed_is_saved_and_presented(lent, file, monkeypatch):
    lent.tours.open(file)
    lent.commands["tour.edit"].trigger()
    panel = lent.touring.editor.fields
    panel.text.setPlainText("half a { caption")
    assert lent.tours.save()
    assert read_tour(file).scenes[0].text == "half a { caption"
    panel.notes.setPlainText("new notes")
    monkeypatch.setattr(TourCommands, "ask_about_changes", lambda self: Button.Cancel)
    lent.commands["tour.close"].trigger()
    assert lent.session.state.tour.tour.scenes[0].notes == "new notes"
    assert lent.session.state.tour_dirty
    panel.notes.setPlainText("newer notes")
    lent.tours.step(1)
    assert lent.session.state.tour.tour.scenes[0].notes == "newer notes"
    lent.touring.editor.close()


def menu_of(window, number):
    """The context menu of a card, opened by the right button."""
    strip = window.touring.panel.strip
    at = strip.visualItemRect(strip.item(number)).center()
    strip.customContextMenuRequested.emit(at)
    menu = window.touring.menu
    menu.hide()
    return {action.text(): action for action in menu.actions()}


def test_a_card_has_a_menu_for_its_scene(lent, file, monkeypatch):
    lent.tours.open(file)
    tour = lent.session.state.tour.tour
    assert list(menu_of(lent, 1)) == [command.title for command in SCENE_COMMANDS]
    assert not menu_of(lent, 0)["Move scene left"].isEnabled()
    menu_of(lent, 1)["Duplicate scene"].trigger()
    scenes = lent.session.state.tour.tour.scenes
    assert [scene.title for scene in scenes[:3]] == ["Coloured", "In order", "In order"]
    assert lent.session.state.tour.scene == 2
    menu_of(lent, 2)["Move scene right"].trigger()
    assert lent.session.state.tour.scene == 3
    menu_of(lent, 1)["Delete scene"].trigger()
    assert lent.session.state.tour.scene == 2
    lent.commands["tour.delete"].trigger()
    for _ in range(4):
        lent.commands["tour.undo"].trigger()
    assert lent.session.state.tour.tour == tour
    presented = []
    monkeypatch.setattr(lent.tours, "present_from", presented.append)
    menu_of(lent, 1)["Present from here"].trigger()
    assert presented == [1]
