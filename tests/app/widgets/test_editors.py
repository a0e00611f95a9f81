"""Editors deliver the typed text as a value, or as a message with the valid values."""

from typing import Annotated, Literal

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from app.widgets import editors
from app.widgets.editors import editor_for
from app.widgets.field_text import Refusal, expected, number_in_field
from core.job import AnyJob
from core.mapping import AnyMapping
from core.network import AnyNetwork
from core.routing import AnyRouting
from core.spec import Spec, declare, fields_of, members

UNIONS = (AnyNetwork, AnyJob, AnyMapping, AnyRouting)


class Sample(Spec, frozen=True, tag="sample"):
    count: Annotated[int, declare("Count", "how many", ge=2, lt=4097)] = 32
    rate: Annotated[float, declare("Rate", "how fast", unit="GB/s", gt=0, le=1e6)] = 0.425
    perhaps: Annotated[int | None, declare("Perhaps", "if known", ge=1, le=9)] = None
    on: Annotated[bool | tuple[bool, ...], declare("On", "one or several")] = True
    power: Annotated[Literal[1, 2, 4], declare("Power", "a power of two")] = 2
    way: Annotated[Literal["there-and-back", "there"], declare("Way", "which way")] = "there"
    dims: Annotated[tuple[int, ...], declare("Dims", "sizes", min_length=1, max_length=8)] = (8, 8)
    slots: Annotated[tuple[int, ...] | None, declare("Slots", "many")] = None
    note: Annotated[str, declare("Note", "text", max_length=5)] = "a"
    file: Annotated[str | None, declare("File", "beside", is_file=True)] = None
    size: Annotated[float, declare("Size", "of a message", unit="bytes", gt=0, le=1e18)] = 1e3


FIELDS = {field.name: field for field in fields_of(Sample)}


@pytest.fixture
def edit(show):
    """The editor of a field, focused, and the list of its values."""

    def make(name, value=None):
        editor = editor_for(FIELDS[name])
        editor.show_value(FIELDS[name].default if value is None else value)
        received = []
        editor.edited.connect(lambda value, at_once: received.append((value, at_once)))
        show(editor, 200, 40)
        editor.setFocus()
        return editor, received

    return make


def type_over(editor, text):
    body = editor.body
    line = body if hasattr(body, "setText") else body.lineEdit()
    line.selectAll()
    QTest.keyClicks(line, text)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("count", editors.NumberEditor),
        ("rate", editors.NumberEditor),
        ("perhaps", editors.NumberEditor),
        ("on", editors.SwitchEditor),
        ("power", editors.ChoiceEditor),
        ("way", editors.ChoiceEditor),
        ("dims", editors.ListEditor),
        ("slots", editors.SummaryEditor),
        ("note", editors.TextEditor),
        ("file", editors.FileEditor),
    ],
)
def test_declaration_decides_the_editor(qtbot, name, kind):
    editor = editor_for(FIELDS[name])
    qtbot.addWidget(editor)
    assert type(editor) is kind
    assert FIELDS[name].description in editor.toolTip().lower()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("count", "a whole number from 2 to 4,096"),
        ("rate", "a number above 0 up to 1,000,000 GB/s"),
        ("power", "one of 1, 2, 4"),
        ("on", "yes or no"),
        ("note", "text"),
    ],
)
def test_field_describes_its_values(name, words):
    assert expected(FIELDS[name]) == words


def test_typed_number_is_emitted_at_every_key_as_not_final(edit):
    editor, received = edit("count")
    type_over(editor, "128")
    assert received == [(Refusal("must be at least 2"), False), (12, False), (128, False)]


def test_arrow_key_steps_immediately_and_stays_within_bounds(edit):
    editor, received = edit("count", 4095)
    for _ in range(3):
        QTest.keyClick(editor.body, Qt.Key.Key_Up)
    assert received == [(4096, True)]
    assert editor.body.lineEdit().text() == "4,096"


def test_arrow_of_the_box_can_be_clicked(edit):
    editor, received = edit("count")
    QTest.mouseClick(editor.body, Qt.MouseButton.LeftButton, pos=QPoint(editor.body.width() - 6, 6))
    assert received == [(33, True)]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("count", "9999", "must be at most 4,096"),
        ("count", "1", "must be at least 2"),
        ("rate", "0", "must be above 0 GB/s"),
        ("rate", "-3", "must be above 0 GB/s"),
        ("rate", "2e6", "must be at most 1,000,000 GB/s"),
        ("rate", "-", "give a number above 0 up to 1,000,000 GB/s"),
        ("count", "1x6", "give a whole number from 2 to 4,096"),
        ("count", "2.5", "give a whole number from 2 to 4,096"),
        ("rate", "1,024", "1,024 is ambiguous: write 1024 or 1.024"),
        ("note", "abcdefgh", "must have at most 5 characters, not 8"),
        ("dims", "12,128", "12,128 may be one number or two: write 12, 128, or omit the comma"),
    ],
)
def test_refused_text_stays_as_typed_with_the_reason(edit, name, text, words):
    editor, received = edit(name)
    type_over(editor, text)
    QTest.keyClick(editor.body, Qt.Key.Key_Return)
    assert received[-1][0] == Refusal(words)
    line = editor.body if hasattr(editor.body, "setText") else editor.body.lineEdit()
    assert line.text() == text


def test_real_number_steps_by_its_leading_decimals(edit):
    editor, received = edit("rate")
    QTest.keyClick(editor.body, Qt.Key.Key_Up)
    editor.show_value(10.0)
    QTest.keyClick(editor.body, Qt.Key.Key_Down)
    assert received == [(0.435, True), (9.0, True)]


def test_the_field_of_a_file_is_wider_than_its_button(edit):
    editor, _ = edit("file")
    editor.show_value("a-network-with-a-very-long-name-of-its-own.txt")
    assert editor.button.width() < editor.body.width()


def test_unit_is_in_the_field(edit):
    editor, _ = edit("rate")
    labels = [label.text() for label in editor.body.lineEdit().children() if hasattr(label, "text")]
    assert "GB/s" in labels


def test_optional_number_may_be_emptied(edit):
    editor, received = edit("perhaps", 7)
    editor.body.lineEdit().selectAll()
    QTest.keyClick(editor.body.lineEdit(), Qt.Key.Key_Delete)
    assert received == [(None, False)]
    editor.show_value(None)
    assert editor.body.lineEdit().text() == ""


@pytest.mark.parametrize("name", ["count", "power"])
def test_wheel_over_an_idle_editor_is_left_to_the_panel(qtbot, show, name):
    editor = editor_for(FIELDS[name])
    editor.show_value(FIELDS[name].default)
    received = []
    editor.edited.connect(lambda *entry: received.append(entry))
    show(editor, 200, 40)
    editor.body.clearFocus()
    centre = QPointF(editor.body.rect().center())
    none = Qt.MouseButton.NoButton
    event = QWheelEvent(
        centre,
        QPointF(editor.body.mapToGlobal(centre)),
        QPoint(),
        QPoint(0, 120),
        none,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(editor.body, event)
    assert received == []
    assert not event.isAccepted()


def test_switch_shows_several_and_replaces_them_by_one(edit):
    editor, received = edit("on", (True, False))
    assert "yes, no" in editor.check.text()
    QTest.keyClick(editor.check, Qt.Key.Key_Space)
    assert received[-1][0] in (True, False)
    assert editor.check.text() == "On"
    editor.show_value((True, True, False, False, True, False))
    assert editor.check.text() == "On: 3 of 6"


def test_switch_toggles(edit):
    editor, received = edit("on")
    QTest.keyClick(editor.check, Qt.Key.Key_Space)
    QTest.keyClick(editor.check, Qt.Key.Key_Space)
    assert received == [(False, True), (True, True)]


def test_choice_is_chosen_by_key(edit):
    editor, received = edit("power")
    QTest.keyClick(editor.combo, Qt.Key.Key_Down)
    assert received == [(4, True)]
    way, _ = edit("way")
    assert [way.combo.itemText(row) for row in range(2)] == ["there and back", "there"]


@pytest.mark.parametrize("text", ["4 × 6 × 8", "4x6x8", "4, 6,8", "4 6 8", " 4*6 * 8 "])
def test_list_accepts_any_separator(edit, text):
    editor, received = edit("dims")
    type_over(editor, text)
    assert received[-1] == ((4, 6, 8), False)


def test_invalid_list_is_refused_with_an_example(edit):
    editor, received = edit("dims")
    type_over(editor, "4 by")
    assert received[-1] == (Refusal("give numbers such as 8 × 8"), False)
    editor.show_value((5, 5))
    assert editor.line.text() == "5 × 5"


def test_long_list_is_summed_up(qtbot):
    editor = editor_for(FIELDS["slots"])
    qtbot.addWidget(editor)
    editor.show_value(tuple(range(4096)))
    assert editor.label.text() == "4,096 entries"


def test_optional_long_list_can_be_removed(edit):
    editor, received = edit("slots", (1, 2, 3))
    QTest.mouseClick(editor.button, Qt.MouseButton.LeftButton)
    assert received == [(None, True)]


def test_file_is_stored_relative_to_the_scenario(edit, tmp_path, monkeypatch):
    editor, received = edit("file")
    editor.folder = tmp_path
    (tmp_path / "traces").mkdir()
    chosen = tmp_path / "traces" / "a.csv"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(chosen), ""))
    QTest.mouseClick(editor.button, Qt.MouseButton.LeftButton)
    assert received == [("traces/a.csv", True)]
    assert editor.line.text() == "traces/a.csv"


def test_long_path_shows_its_end_and_has_a_tool_tip(edit):
    editor, _ = edit("file")
    path = "/home/ada/" + "measurements/" * 9 + "trace.csv"
    editor.show_value(path)
    assert editor.line.cursorPosition() == len(path)
    assert path in editor.line.toolTip()


def test_file_in_another_folder_has_its_full_path(edit, tmp_path, monkeypatch):
    editor, received = edit("file")
    chosen = tmp_path / "a.csv"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *args: (str(chosen), ""))
    for editor.folder in (None, tmp_path / "here"):
        QTest.mouseClick(editor.button, Qt.MouseButton.LeftButton)
        assert received[-1] == (str(chosen), True)


@pytest.mark.parametrize(
    ("value", "text"), [(1e9, "1e9"), (5e5, "500000"), (134_217_728.0, "134,217,728"), (4.096e12, "4.096e12")]
)
def test_large_numbers_are_short_and_visible_in_full(edit, value, text):
    editor, _ = edit("size", value)
    editor.resize(110, 40)
    line = editor.box.lineEdit()
    assert line.text() == text
    assert number_in_field(text, editor.field) == value
    left, right = line.textMargins().left(), line.textMargins().right()
    assert line.fontMetrics().horizontalAdvance(text) + left + right < line.width()


def test_long_number_hides_the_unit(edit):
    editor, _ = edit("size", 8.0)
    editor.resize(110, 40)
    assert not editor.box._unit.isHidden()
    type_over(editor, "123456789012")
    assert editor.box._unit.isHidden()


class Words(Spec, frozen=True, tag="words"):
    spare: Annotated[int, declare("Spare", "nodes kept free; 0: as needed", zero="automatic", ge=0, le=1 << 20)] = 0
    goal: Annotated[float, declare("Goal", "where to stop", unit="GB/s per node", zero="best", ge=0, le=1e9)] = 0.0


def test_special_zero_is_shown_as_a_word(show):
    editor = editor_for(fields_of(Words)[0])
    received = []
    editor.edited.connect(lambda value, final: received.append(value))
    editor.show_value(0)
    show(editor, 120, 40)
    line = editor.box.lineEdit()
    assert line.text() == "automatic"
    type_over(editor, "12,288")
    assert received[-1] == 12_288
    type_over(editor, "Automatic")
    assert received[-1] == 0
    editor.box.stepBy(1)
    assert (received[-1], line.text()) == (1, "1")
    editor.box.stepBy(-1)
    assert (received[-1], line.text()) == (0, "automatic")
    type_over(editor, "none")
    assert isinstance(received[-1], Refusal)
    assert received[-1].message.endswith(", or 0 for automatic")


def test_a_word_for_zero_has_no_unit(show):
    editor = editor_for(fields_of(Words)[1])
    editor.show_value(0.0)
    show(editor, 200, 40)
    least = editor.box.minimumSizeHint().width()
    assert editor.box.lineEdit().text() == "best"
    assert editor.box._unit.isHidden()
    type_over(editor, "80")
    assert not editor.box._unit.isHidden()
    assert editor.box.minimumSizeHint().width() > least


def test_every_declared_word_for_zero_reads_as_zero():
    specs = [spec for union in UNIONS for spec in members(union)]
    words = {field.title: field.zero for spec in specs for field in fields_of(spec) if field.zero}
    assert words == {
        "Links per pair": "automatic",
        "Dimensions per unit": "none",
        "Spines": "none",
        "Vocabulary": "none",
        "Experts": "none",
        "Target": "best",
    }
    assert all(field.low == 0 for spec in specs for field in fields_of(spec) if field.zero)
