"""The editor of a tour: typed texts become undo steps, errors are shown at their fields, figures are completed."""

import json
import threading

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.scenes import ViewShare
from app.panels.tour.editor import TourEditor
from app.session.scenes import tried
from app.session.session import Session
from app.tour.tour_file import decode_tour, encode_tour
from tests.app.scenarios import HALO
from tests.app.stage.scenes import SCENES

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def editor(session, show):
    scenes = [{**SCENES[0], "claims": ["throughput_gbs > 60"]}, *SCENES[1:]]
    tour = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": scenes}).encode())
    session.tours.open(tour, None, saved=tour)
    session.presentation.go(0)
    editor = show(TourEditor(session), 980, 740)
    yield editor
    editor.shut_down()


def scenes(editor):
    return editor.session.state.tour.tour.scenes


def typed(field, text):
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)


def test_the_list_shows_a_scene_and_follows_it(editor):
    area = editor.outline.visualItemRect(editor.outline.item(1))
    QTest.mouseClick(editor.outline.viewport(), Qt.MouseButton.LeftButton, pos=area.center())
    assert editor.session.state.tour.scene == 1
    assert editor.fields.heading.text() == "In order"
    assert editor.fields.text.toPlainText() == SCENES[1]["text"]
    assert editor.fields.preview.text() == "0.16 of it"
    editor.session.presentation.go(3)
    assert editor.outline.currentRow() == 3
    assert editor.fields.heading.text() == "Beside"


def test_typed_text_is_one_undo_step_of_the_tour(editor):
    typed(editor.fields.text, "Now {throughput_gbs")
    editor.fields.text.popup.hide()
    QTest.keyClicks(editor.fields.text, "} GB/s")
    editor.fields.heading.setFocus()
    assert scenes(editor)[0].text == "Now {throughput_gbs} GB/s"
    assert editor.session.state.tour.tour_undo == "Edit scene 1"
    editor.session.tours.undo()
    assert editor.fields.text.toPlainText() == SCENES[0]["text"]
    assert not editor.session.state.tour_dirty


def test_the_preview_follows_the_keys(editor):
    typed(editor.fields.text, "**{throughput_gbs}** on {nodes:,}")
    assert editor.fields.preview.text() == "**64** on 1,024"
    assert scenes(editor)[0].text == SCENES[0]["text"]  # not a step yet


def test_undo_in_a_field_undoes_typing(editor):
    for field, read in (
        (editor.fields.text, editor.fields.text.toPlainText),
        (editor.fields.notes, editor.fields.notes.toPlainText),
        (editor.fields.heading, editor.fields.heading.text),
        (editor.title, editor.title.text),
    ):
        before = read()
        field.setFocus()
        QTest.keyClicks(field, "abc")
        assert read() != before
        QTest.keyClick(field, Qt.Key.Key_Z, CONTROL)
        assert read() == before
        QTest.keyClick(field, Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
        assert "abc" in read()
        QTest.keyClick(field, Qt.Key.Key_Z, CONTROL)
        editor.commit()
    assert not editor.session.state.tour_dirty


MISTAKES = {
    "{throughput_gbs": "Unmatched { or }",
    "and {": "Unmatched { or }",
    "{throughput_gbs/2:.3q}": "'.3q' is not a number format",
    "{open('x')}": "\"open('x')\" cannot be computed",
    "x" * 2001: "The caption has 2,001 characters",
    "{1/0}": "1 / 0 cannot be computed",
    "{throughput_gbs:d}": "The format 'd' does not fit a fraction",
    "{throughput_gb}": "No such figure: 'throughput_gb'; did you mean throughput_gbs?",
}


@pytest.mark.parametrize("leave", ["list", "focus", "key"])
@pytest.mark.parametrize("text", MISTAKES)
def test_invalid_text_is_kept_with_an_error_below(editor, text, leave):
    fields = editor.fields
    fields.text.setPlainText(text)
    fields.notes.setPlainText("my notes")
    fields.heading.setText("My title")
    if leave == "list":
        editor.outline.setCurrentRow(1)
    elif leave == "focus":
        editor.outline.setFocus()
        editor.commit()
    else:
        editor.session.presentation.step(1)
    if leave != "focus":
        assert fields.heading.text() == scenes(editor)[1].title == "In order"
        assert fields.text_error.isHidden()
        editor.session.presentation.go(0)
    scene = scenes(editor)[0]
    assert (scene.title, scene.text, scene.notes) == ("My title", text, "my notes")
    assert (fields.text.toPlainText(), fields.notes.toPlainText()) == (text, "my notes")
    assert fields.text_error.isVisible()
    assert MISTAKES[text] in fields.text_error.text()
    assert fields.text_error.height() >= fields.text_error.heightForWidth(fields.text_error.width())
    assert bool(fields.text.extraSelections()) != text.startswith("xx")
    assert editor.session.state.error is None
    assert decode_tour(encode_tour(editor.session.state.tour.tour)) == editor.session.state.tour.tour
    editor.session.tours.undo()
    assert fields.text.toPlainText() == SCENES[0]["text"]
    assert fields.text_error.isHidden()
    editor.session.tours.redo()
    assert fields.text.toPlainText() == text


def rows(editor):
    model = editor.fields.text.completer.completionModel()
    return {model.index(k, 0).data(): model.index(k, 1).data() for k in range(model.rowCount())}


@pytest.mark.parametrize("key", [Qt.Key.Key_Tab, Qt.Key.Key_Return])
def test_figures_are_completed_after_a_brace(editor, key):
    field = editor.fields.text
    typed(field, "Up to {")
    assert field.popup.isVisible()
    assert rows(editor)["nodes"] == "1,024"
    QTest.keyClicks(field.popup, "gbs")
    offered = rows(editor)
    assert offered["throughput_gbs"] == "64 GB/s per node"
    assert "nodes" not in offered
    assert field.popup.currentIndex().row() == 0
    QTest.keyClick(field.popup, key)
    assert not field.popup.isVisible()
    assert field.toPlainText() == "Up to {throughput_gbs}"
    QTest.keyClicks(field, "} GB/s")
    assert field.toPlainText() == "Up to {throughput_gbs} GB/s"
    assert editor.fields.preview.text() == "Up to 64 GB/s"


def test_scenes_are_completed_by_their_ids(editor):
    editor.session.presentation.go(1)
    field = editor.fields.text
    typed(field, "{colou")
    assert list(rows(editor)) == ["coloured."]
    QTest.keyClick(field.popup, Qt.Key.Key_Tab)
    assert field.toPlainText() == "{coloured."
    assert field.popup.isVisible()
    QTest.keyClicks(field.popup, "throughput")
    assert rows(editor)["throughput_gbs"] == "64 GB/s per node"
    QTest.keyClick(field.popup, Qt.Key.Key_Tab)
    assert field.toPlainText() == "{coloured.throughput_gbs}"
    assert editor.fields.preview.text() == "64"


def test_no_completion_outside_braces_and_in_formats(editor):
    for text in ("throughput", "{nodes} thr", "{nodes:,", "{nothing.thr"):
        typed(editor.fields.text, text)
        assert not editor.fields.text.popup.isVisible(), text
    typed(editor.fields.text, "{thr")
    QTest.keyClick(editor.fields.text.popup, Qt.Key.Key_Escape)
    assert not editor.fields.text.popup.isVisible()
    assert editor.fields.text.toPlainText() == "{thr"


IDS = {
    "2nd": "An ID has at most 50 letters, digits and underscores",
    "my id": "An ID has at most 50 letters, digits and underscores",
    "x" * 51: "at most 50",
    "coloured": "Scene 1 has this ID",
}


@pytest.mark.parametrize("name", IDS)
def test_id_is_checked_in_its_field_and_kept_as_typed(editor, name):
    editor.session.presentation.go(1)
    typed(editor.fields.id, name)
    assert IDS[name] in editor.fields.id_error.text()
    typed(editor.fields.notes, "other words")
    editor.session.presentation.go(0)
    assert scenes(editor)[1].id is None
    assert scenes(editor)[1].notes == "other words"
    assert editor.fields.id_error.isHidden()
    editor.session.presentation.go(1)
    assert editor.fields.id.text() == name
    assert IDS[name] in editor.fields.id_error.text()
    typed(editor.fields.id, "in_order")
    editor.commit()
    assert scenes(editor)[1].id == "in_order"
    assert editor.fields.id_error.isHidden()


def test_an_id_is_renamed_wherever_it_is_used(editor):
    typed(editor.fields.id, "halo")
    editor.commit()
    assert [scene.id for scene in scenes(editor)] == ["halo", None, None, None]
    assert scenes(editor)[1].text == "{throughput_gbs / halo.throughput_gbs:.2f} of it"
    assert scenes(editor)[3].against == "halo"
    editor.fields.id.clear()
    editor.commit()
    assert "Another scene refers to this ID" in editor.fields.id_error.text()
    assert scenes(editor)[0].id == "halo"
    editor.session.tours.undo()
    assert scenes(editor)[1].text == SCENES[1]["text"]


def test_claims_are_marked_by_colour_and_word(editor):
    claims = editor.fields.claims
    assert (claims.rows[0].mark.text(), claims.rows[0].mark.property("role")) == ("✓ holds", "good")
    assert claims.rows[0].mark.toolTip() == "throughput_gbs = 64"
    typed(claims.rows[0].field, "throughput_gbs > nodes")
    assert (claims.rows[0].mark.text(), claims.rows[0].mark.property("role")) == ("✗ does not hold", "error")
    assert claims.rows[0].field.toolTip() == "throughput_gbs = 64\nnodes = 1,024"
    claims.add.click()
    QTest.keyClicks(claims.rows[1].field, "nodes = 3")
    assert claims.rows[1].mark.text() == "✗ cannot be checked"
    assert claims.rows[1].message.text().startswith("'nodes = 3' cannot be computed")
    QTest.keyClick(claims.rows[1].field, Qt.Key.Key_Return)
    assert scenes(editor)[0].claims == ("throughput_gbs > nodes", "nodes = 3")
    claims.rows[0].delete.click()
    assert scenes(editor)[0].claims == ("nodes = 3",)
    for _ in range(3):
        editor.session.tours.undo()
    assert [row.field.text() for row in claims.rows] == ["throughput_gbs > 60"]


def test_title_and_planned_times_are_written(editor):
    typed(editor.title, "My talk")
    QTest.keyClick(editor.title, Qt.Key.Key_Return)
    typed(editor.minutes.lineEdit(), "12")
    typed(editor.fields.minutes.lineEdit(), "1.5")
    editor.fields.editing.click()
    editor.commit()
    tour = editor.session.state.tour.tour
    assert (tour.title, tour.minutes) == ("My talk", 12)
    assert (tour.scenes[0].minutes, tour.scenes[0].editing) == (1.5, True)
    assert decode_tour(encode_tour(tour)) == tour
    typed(editor.fields.minutes.lineEdit(), "-1")
    assert "must be above 0" in editor.fields.minutes_error.text()
    editor.title.clear()
    QTest.keyClicks(editor.title, " ")
    assert editor.title_error.text() == "Give the tour a title."
    editor.commit()
    assert editor.session.state.tour.tour.title == "My talk"


def test_a_closed_editor_writes_into_no_other_tour(editor):
    typed(editor.title, "My talk")
    typed(editor.fields.notes, "typed")
    editor.close()
    mine = editor.session.state.tour.tour
    assert (mine.title, mine.scenes[0].notes) == ("My talk", "typed")
    other = msgspec.structs.replace(mine, title="Other", scenes=mine.scenes[1:2])
    editor.session.tours.open(other, None, saved=other)
    editor.commit()
    assert editor.session.state.tour.tour == other
    editor.session.presentation.go(0)
    editor.show()
    assert editor.title.text() == "Other"
    assert editor.fields.heading.text() == "In order"


def test_captions_are_computed_off_the_gui_thread(qapp, show, monkeypatch, qtbot):
    threads = []

    def slow(*arguments):
        threads.append(threading.current_thread())
        return tried(*arguments)

    monkeypatch.setattr("app.panels.tour.scene_fields.tried", slow)
    session = Session.of(HALO, sync=False)
    tour = decode_tour(json.dumps({"fabriscope_tour": 1, "title": "T", "scenes": SCENES[:1]}).encode())
    session.tours.open(tour, None, saved=tour)
    session.presentation.go(0)
    qtbot.waitUntil(lambda: session.state.tour.scene == 0)
    editor = show(TourEditor(session), 980, 740)
    typed(editor.fields.text, "**{nodes}**")
    qtbot.waitUntil(lambda: editor.fields.preview.text() == "**1,024**")
    assert threads
    assert threading.main_thread() not in threads
    editor.shut_down()
    session.close()


def test_it_closes_with_the_tour(editor):
    editor.session.tours.close()
    QApplication.processEvents()
    assert not editor.isVisible()


def test_views_have_shares_of_the_stage(editor):
    views = editor.fields.views
    assert [(line.view.currentText(), line.share.value) for line in views.rows] == [("Machine", 3), ("Job", 1)]
    typed(views.rows[1].share.lineEdit(), "2.5")
    QTest.keyClick(views.rows[1].share, Qt.Key.Key_Return)
    assert scenes(editor)[0].views == (ViewShare("machine", 3), ViewShare("job", 2.5))
    typed(views.rows[1].share.lineEdit(), "0")
    assert "must be above 0" in views.rows[1].message.text()
    views.add.click()
    assert len(scenes(editor)[0].views) == 3
    views.rows[2].view.setCurrentIndex(0)
    views.rows[2].view.activated.emit(0)
    assert views.rows[2].message.text() == "Machine is already shown."
    assert len(scenes(editor)[0].views) == 3
    views.rows[0].delete.click()
    views.rows[0].delete.click()
    assert len(scenes(editor)[0].views) == 1
    assert views.rows[0].delete.isHidden()
    while editor.session.state.tour.tour_undo:
        editor.session.tours.undo()
    assert scenes(editor)[0].views == (ViewShare("machine", 3), ViewShare("job", 1))
    assert [line.share.value for line in views.rows] == [3, 1]
