"""The windows of the Help menu: contents and search of the reference, shortcuts, versions."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

import app
from app.actions.table import ACTIONS
from app.style.palette import palette_of
from app.style.theme import THEMES
from app.window.about import LICENSE, PACKAGES, AboutWindow, citation
from app.window.help import NO_MATCH, HelpWindow, headings_of, reference
from app.window.shortcuts import ShortcutsWindow, shortcut_groups
from app.wording.reference import CHAPTERS
from app.wording.stage_keys import STAGE_KEYS
from tests.pointer import press, release

ROOT = Path(__file__).resolve().parents[3]
CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def help_of(qtbot):
    opened = []

    def open_help(window, name, kind):
        window.commands[f"help.{name}"].trigger()
        opened.append(window.findChild(kind))
        qtbot.waitUntil(opened[-1].isActiveWindow)
        return opened[-1]

    yield open_help
    for window in opened:
        window.close()


def heading_in_sight(help_window):
    """The text of the first paragraph on the page."""
    return help_window.text.cursorForPosition(QPoint(40, 20)).block().text()


def click_item(tree, item):
    tree.scrollToItem(item)
    at = tree.visualItemRect(item).center()
    press(tree.viewport(), at)
    release(tree.viewport(), at)


def item_called(tree, text):
    (item,) = tree.findItems(text, Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive)
    return item


def test_the_help_menu_opens_all_help_windows(shared):
    (menu,) = (action.menu() for action in shared.menuBar().actions() if action.text() == "&Help")
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts[-4:] == ["Search commands …", "Keyboard shortcuts", "Reference", "About Fabriscope"]


def test_reference_names_every_declared_field():
    text = reference()
    for word in ("supernodes", "count_middle_hop", "mod-colour", "Ctrl+K", "GB/s", "Shift+drag"):
        assert word in text


def test_the_contents_list_all_headings_and_lead_to_them(in_front, help_of):
    window = help_of(in_front, "reference", HelpWindow)
    titles = re.findall(r"^#{1,3} (.*)$", reference(), re.MULTILINE)
    assert len(headings_of(window.text.document())) == len(titles)
    click_item(window.contents, item_called(window.contents, "Search for a better mapping"))
    assert heading_in_sight(window) == "Search for a better mapping"
    assert window.contents.currentItem().text(0) == "Search for a better mapping"
    chapter = item_called(window.contents, "Network choices")
    chapter.setExpanded(True)
    click_item(window.contents, item_called(window.contents, "Torus (torus)"))
    assert heading_in_sight(window) == "Torus (torus)"
    chapter.setExpanded(False)
    window.text.verticalScrollBar().setValue(0)
    assert window.contents.currentItem().text(0) == "Fabriscope"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_figures_suit_the_background(theme, in_front, help_of):
    window = help_of(in_front, "reference", HelpWindow)
    window.setPalette(palette_of(THEMES[theme]))
    document = window.text.document()
    names = re.findall(r"!\[.*\]\((.*)\)", reference())
    assert len(names) == 3
    for name in names:
        shown = document.resource(QTextDocument.ResourceType.ImageResource, QUrl(name))
        assert shown == QImage(str(CHAPTERS / name.replace("-light.", f"-{theme}.")))
        assert shown.width() <= 600


def test_a_search_reaches_matches_before_qt_extends_the_scroll_bar(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    window = HelpWindow(parent)
    window.show()
    window.field.setText("in equal shares")
    document = window.text.document()
    for step in range(len(window.matches)):
        if step % 2:
            document.markContentsDirty(0, document.characterCount())
        window.next.click()
        selections = window.text.extraSelections()
        rectangle = window.text.cursorRect(selections[window.current].cursor)
        assert window.text.viewport().rect().contains(rectangle.center())


def test_a_search_goes_from_match_to_match_and_round(in_front, help_of):
    window = help_of(in_front, "reference", HelpWindow)
    QTest.keyClick(window, Qt.Key.Key_F, CONTROL)
    assert window.field.hasFocus()
    QTest.keyClicks(window.field, "in equal shares")
    number = len(window.matches)
    assert number == len(re.findall(r"in\s+equal\s+shares", window.text.toPlainText(), re.IGNORECASE)) > 1
    assert window.count.text() == f"1 of {number}"
    for expected in (*range(1, number), 0):
        QTest.keyClick(window.field, Qt.Key.Key_Return)
        assert window.current == expected
        selections = window.text.extraSelections()
        assert len(selections) == number
        cursor = selections[expected].cursor
        assert cursor.selectedText().lower() == "in equal shares"
        assert window.text.viewport().rect().contains(window.text.cursorRect(cursor).center())
    QTest.keyClick(window.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert window.current == number - 1
    QTest.mouseClick(window.next, Qt.MouseButton.LeftButton)
    assert window.current == 0


def test_a_search_without_a_match_says_so_and_escape_ends_it(in_front, help_of):
    window = help_of(in_front, "reference", HelpWindow)
    QTest.keyClicks(window.field, "qqqq")
    assert window.count.text() == NO_MATCH
    assert not window.next.isEnabled()
    QTest.keyClick(window.field, Qt.Key.Key_Return)
    QTest.keyClick(window.field, Qt.Key.Key_Escape)
    assert window.field.text() == window.count.text() == ""
    assert window.isVisible()


def test_places_in_the_text_are_places_in_the_document():
    assert max(map(ord, reference())) < 1 << 16  # else Qt would count some characters twice


def test_the_shortcuts_are_those_of_the_table_and_of_single_views():
    groups = shortcut_groups()
    listed = [keys for rows in groups.values() for keys, _ in rows]
    assert {spec.shortcut for spec in ACTIONS if spec.shortcut and ";" not in spec.shortcut} <= set(listed)
    assert len(groups["Keys on the stage"]) == len(STAGE_KEYS)
    assert "Pointer in the machine" in groups


def test_typing_filters_the_shortcuts_by_command_key_or_group(in_front, help_of):
    window = help_of(in_front, "shortcuts", ShortcutsWindow)

    def listed():
        groups = [window.tree.topLevelItem(k) for k in range(window.tree.topLevelItemCount())]
        shown = [group for group in groups if not group.isHidden()]
        rows = [group.child(k) for group in shown for k in range(group.childCount()) if not group.child(k).isHidden()]
        return [group.text(0) for group in shown], [row.text(0) for row in rows]

    QTest.keyClicks(window.field, "palette")
    assert listed() == ([], [])
    assert window.message.text() == NO_MATCH
    window.field.clear()
    QTest.keyClicks(window.field, "ctrl+k")
    assert listed() == (["Help"], ["Search commands"])
    window.field.clear()
    QTest.keyClicks(window.field, "pointer machine wheel")
    assert listed() == (["Pointer in the machine"], ["Zoom at the pointer"])
    window.field.clear()
    assert len(listed()[0]) == len(shortcut_groups())


def test_about_copies_the_versions_and_the_citation(in_front, help_of):
    window = help_of(in_front, "about", AboutWindow)
    QTest.mouseClick(window.copy, Qt.MouseButton.LeftButton)
    copied = QGuiApplication.clipboard().text()
    assert f"Fabriscope {app.__version__}" in copied
    assert all(f"{title} {version(name)}" in copied for name, title in PACKAGES.items())
    QTest.mouseClick(window.cite, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == citation()
    assert app.__version__ in citation()


def test_about_agrees_with_the_project_and_links_to_its_files(in_front, help_of):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"{project['license']} License" == LICENSE
    assert citation().startswith(project["authors"][0]["name"])
    window = help_of(in_front, "about", AboutWindow)
    links = re.findall(r'href="file://([^"]*)"', window.links.text())
    assert [Path(link) for link in links] == [ROOT / name for name in ("README.md", "CITATION.cff", "LICENSE")]
    assert all(Path(link).is_file() for link in links)


def test_a_help_window_closes_by_its_key_or_with_the_window(formless, window, qtbot):
    window.commands["help.reference"].trigger()
    reference = window.findChild(HelpWindow)
    assert reference.isVisible()
    qtbot.waitUntil(reference.isActiveWindow)
    QTest.keyClick(reference, Qt.Key.Key_W, CONTROL)
    assert not reference.isVisible()
    assert window.isVisible()
    window.commands["help.reference"].trigger()
