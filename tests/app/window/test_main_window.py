"""The entire window: commands, files, palette, theme, pictures; the model is asserted, not the widgets."""

import json
import time
from dataclasses import replace
from itertools import product

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QImage, QPainter, QPalette, QPdfWriter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget

from app.actions.file_commands import Button
from app.actions.table import ACTIONS
from app.model.pointing import Item
from app.storage.presets import preset, worked_example
from app.style.colour import ColourScale
from app.style.theme import DARK, FONT_SCALES, LIGHT
from app.widgets.number_box import NumberBox
from app.window.status_bar import status_text
from app.window.toolbar import percent_at, position_of
from core.files import read_scenario, write_scenario
from core.job import AllToAll, Halo
from core.load.scenario import Scenario
from core.mapping import Blocks, Sequential
from core.network import Torus
from core.routing import Adaptive, DimensionOrder
from tests.app.sessions import session_on


def test_the_worked_example_shows_its_bottleneck(shared):
    text = " ".join(label.text() for label in shared.bottleneck.findChildren(type(shared.statusBar().text).__mro__[1]))
    assert "64.0" in text
    assert "Bottleneck: LR" in text
    assert "4,096 tasks on 1,024 nodes · 35,712 links" in shared.statusBar().text.text()


def test_the_line_at_the_foot_counts_the_nodes_that_the_job_is_on(qapp):
    session = session_on(Scenario(Torus((4, 4)), Halo(3, 4), Sequential(), DimensionOrder()), sync=True)
    assert status_text(session.state).startswith("12 tasks on 12 of 16 nodes · ")
    session.close()


def test_every_action_has_an_id_of_its_own_and_a_key_of_its_own():
    ids = [spec.id for spec in ACTIONS]
    keys = [spec.shortcut for spec in ACTIONS if spec.shortcut]
    assert len(set(ids)) == len(ids)
    assert len(set(keys)) == len(keys)


def test_log_and_freeze_keys_change_the_scale_and_back(in_front):
    QTest.keyClick(in_front, Qt.Key.Key_L)
    assert in_front.session.state.style.scale.log
    assert in_front.commands["view.log"].isChecked()
    QTest.keyClick(in_front, Qt.Key.Key_Z)
    assert in_front.session.state.style.scale.frozen_time == pytest.approx(0.0625)
    QTest.keyClick(in_front, Qt.Key.Key_Z)
    QTest.keyClick(in_front, Qt.Key.Key_L)
    assert in_front.session.state.style.scale.frozen_time is None
    assert not in_front.session.state.style.scale.log


def test_toolbar_segments_change_the_scale(shared):
    scale, reference = shared.toolbar.scale.group, shared.toolbar.reference.group
    QTest.mouseClick(scale.button(1), Qt.MouseButton.LeftButton)
    assert shared.session.state.style.scale.log
    QTest.mouseClick(reference.button(1), Qt.MouseButton.LeftButton)
    assert shared.session.state.style.scale.frozen_time is not None
    for group in (scale, reference):
        QTest.mouseClick(group.button(0), Qt.MouseButton.LeftButton)
    assert shared.session.state.style.scale == ColourScale()


def test_filter_slider_and_its_shortcuts_agree(lent, qtbot):
    lent.commands["view.hottest.1"].trigger()
    assert lent.session.state.style.hottest_percent == 1
    assert percent_at(lent.toolbar.filter.value()) == pytest.approx(1, rel=0.05)
    lent.toolbar.filter.setValue(100)
    qtbot.waitUntil(lambda: lent.session.state.style.hottest_percent == 100)
    assert lent.session.state.style.hottest_percent == 100
    assert [position_of(percent_at(p)) for p in (0, 37, 100)] == [0, 37, 100]


def test_the_hottest_link_is_selected_and_escape_deselects_it(in_front):
    QTest.keyClick(in_front, Qt.Key.Key_H)
    link = in_front.session.state.selection.index
    assert in_front.session.state.report.utilisation[link] == pytest.approx(1)
    assert in_front.session.state.explanation.link == link
    QTest.keyClick(in_front, Qt.Key.Key_Escape)
    assert in_front.session.state.selection is None


def test_selection_in_one_view_reaches_the_others(shared):
    shared.session.select(Item("task", 70))
    node = shared.session.state.evaluation.case.mapping.nodes[70]
    assert shared.session.state.selection == Item("task", 70)
    assert str(node // 32) in shared.centre.cards["inner"].title.text()
    shared.session.select(None)


def test_a_broken_file_shows_one_line_and_loses_nothing(lent, tmp_path):
    good = lent.session.state.evaluation
    path = tmp_path / "broken.fabriscope.json"
    path.write_text(json.dumps({"fabriscope": 1, "network": {"type": "nonsense"}}))
    lent.files.open(path)
    assert lent.session.state.evaluation is good
    assert "network.type" in lent.statusBar().text.text()
    assert lent.session.state.file.path is None


def test_save_and_open_again(lent, tmp_path, monkeypatch):
    path = tmp_path / "mine.fabriscope.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a: (str(path), ""))
    lent.session.choose("mapping", Sequential())
    assert lent.isWindowModified()
    lent.commands["file.save"].trigger()
    assert not lent.isWindowModified()
    assert read_scenario(path).mapping == Sequential()
    lent.session.choose("job", Halo(periodic=False))
    lent.commands["file.save"].trigger()
    assert read_scenario(path).job == Halo(periodic=False)


def test_unsaved_changes_are_kept_at_the_users_request(lent, monkeypatch):
    lent.session.choose("mapping", Sequential())
    with monkeypatch.context() as patched:
        patched.setattr(lent.files, "ask_about_changes", lambda: Button.Cancel)
        lent.files.open_preset("torus-8x8x8-halo")
        assert lent.session.state.wanted.mapping == Sequential()
        assert not lent.close()


def an_empty_page(path):
    """The size of a file into which nothing is drawn."""
    writer = QPdfWriter(str(path))
    QPainter(writer).end()
    return path.stat().st_size


def drawing(path, size):
    """The content of an SVG file."""
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(0)
    painter, renderer = QPainter(image), QSvgRenderer(str(path))
    assert renderer.isValid()
    renderer.render(painter)
    painter.end()
    return image


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_every_view_can_be_exported(shared, tmp_path, ending):
    empty = an_empty_page(tmp_path / "empty.pdf")
    for index, view in enumerate(shared.views.values()):
        path = tmp_path / f"{index}.{ending}"
        shared.files.save_picture(view, path)
        assert shared.session.state.error is None
        if ending == "pdf":
            assert path.read_bytes().startswith(b"%PDF-")
            assert path.stat().st_size > empty, view.title
            continue
        image = QImage(str(path)) if ending == "png" else drawing(path, view.size())
        assert image.width() == view.width() * (2 if ending == "png" else 1)
        places = product(range(0, image.width(), 9), range(0, image.height(), 9))
        assert len({image.pixel(*place) for place in places}) > 1, f"{view.title} is blank"


def test_a_failed_export_shows_its_error(lent, tmp_path):
    lent.files.save_picture(lent.machine, tmp_path / "none" / "x.png")
    assert "cannot be written" in lent.statusBar().text.text()


def test_themes_change_the_style_sheet(lent):
    dark = lent.styleSheet()
    lent.commands["view.theme.light"].trigger()
    assert lent.session.state.style.theme.name == "light"
    assert lent.styleSheet() != dark
    assert "#ffffff" in lent.styleSheet()


def test_the_menu_of_recent_files_is_filled_when_it_opens(unshown, tmp_path):
    (menu,) = (action.menu() for action in unshown.menuBar().actions() if action.text() == "&File")
    (recent,) = (action.menu() for action in menu.actions() if action.text().replace("&", "") == "Recent files")
    recent.aboutToShow.emit()
    assert [action.text() for action in recent.actions()] == ["No recent files"]
    (tmp_path / "mine.fabriscope.json").touch()
    unshown.settings.add_recent(tmp_path / "mine.fabriscope.json")
    recent.aboutToShow.emit()
    assert [action.text() for action in recent.actions()] == [str(tmp_path / "mine.fabriscope.json")]


def test_the_file_menu_goes_from_opening_to_quitting(shared):
    (menu,) = (action.menu() for action in shared.menuBar().actions() if action.text() == "&File")
    groups = [[]]
    for action in menu.actions():
        if action.isSeparator():
            groups.append([])
        else:
            groups[-1].append(action.text().replace("&", "").rstrip(" …"))
    assert groups == [
        ["Open scenario", "Import", "Presets", "Recent files"],
        ["Save", "Save as", "Snapshots"],
        [
            "Export",
            "Export picture",
            "Export link loads as CSV",
            "Export timeline as CSV",
            "Film",
            "Export report",
        ],
        ["Quit"],
    ]


def test_the_menu_of_exports_is_filled_when_it_opens(shared):
    menu = next(menu for menu in shared.findChildren(QMenu) if menu.title().replace("&", "") == "Export")
    assert menu.isEmpty()
    for _ in range(2):
        menu.aboutToShow.emit()
    parts = {action.text().replace("&", ""): action.menu() for action in menu.actions()}
    assert list(parts) == ["Mapping", "Job", "Network", "Routing", "Loads"]
    texts = [action.text() for part in parts.values() for action in part.actions()]
    assert texts == [f"{offer.kind} …" for offer in shared.files.exchange.offers()]


def test_files_may_be_dropped_on_any_part_of_the_window(shared, tmp_path, monkeypatch):
    taken = []
    monkeypatch.setattr(type(shared.files), "open", lambda files, path: taken.append(path))
    path = tmp_path / "mine.fabriscope.json"
    path.write_text('{"fabriscope": 1}')
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    data.setText(str(path))  # as desktops do; fields would accept it
    parts = [part for part in shared.findChildren(QWidget) if part.window() is shared and part.isVisible()]
    assert len(parts) > 100
    keen = [part for part in parts if part.acceptDrops()]
    for part in (shared, *keen):
        for kind in (QDragEnterEvent, QDropEvent):
            event = kind(
                QPoint(1, 1), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
            )
            QApplication.sendEvent(part, event)
    assert taken == [path] * (1 + len(keen))


def test_undo_reaches_the_window_from_a_number_that_is_done(lent, qtbot):
    box = next(child for child in lent.build.findChildren(NumberBox) if child.value == 64 and child.isVisible())
    control = Qt.KeyboardModifier.ControlModifier
    box.setFocus()
    qtbot.waitUntil(box.hasFocus)
    box.selectAll()
    QTest.keyClicks(box, "32")
    QTest.keyClick(box, Qt.Key.Key_Return)
    assert (box.value, lent.session.state.wanted.job.rows) == (32, 32)
    QTest.keyClick(box, Qt.Key.Key_Z, control)
    assert (box.value, lent.session.state.wanted.job.rows) == (64, 64)
    QTest.keyClick(box, Qt.Key.Key_Y, control)
    QTest.keyClick(box, Qt.Key.Key_Z, control | Qt.KeyboardModifier.ShiftModifier)
    assert (box.value, lent.session.state.wanted.job.rows) == (32, 32)
    # Text that is still being typed is undone in the box alone.
    QTest.keyClicks(box, "1")
    QTest.keyClick(box, Qt.Key.Key_Z, control)
    assert box.lineEdit().text() == "32"


def test_a_changed_preset_is_no_longer_named_by_its_note(lent):
    assert lent.windowTitle().startswith("Power 775 with 32 supernodes")
    lent.session.choose("mapping", Sequential())
    assert lent.windowTitle().startswith("untitled")


def test_a_changed_preset_is_saved_without_its_note(lent, tmp_path, monkeypatch):
    path = tmp_path / "mine.fabriscope.json"
    monkeypatch.setattr(lent.files, "ask_path", lambda *rest: path)
    lent.session.choose("mapping", Sequential())
    assert lent.files.ask_save()
    assert read_scenario(path).note == ""
    assert not lent.session.state.dirty


def test_every_menu_opens_by_a_letter_of_its_own(shared):
    titles = [action.text() for action in shared.menuBar().actions()]
    assert titles == ["&File", "&Edit", "&View", "&Select", "&Tools", "&Optimise", "St&udy", "Tou&r", "&Help"]


def test_windows_of_qt_follow_the_theme(lent):
    for name, theme in (("light", LIGHT), ("dark", DARK)):
        lent.commands[f"view.theme.{name}"].trigger()
        palette = QApplication.palette()
        assert palette.color(QPalette.ColorRole.Base).name() == theme.panel
        assert palette.color(QPalette.ColorRole.Text).name() == theme.text


def test_writing_a_file_removes_its_error(lent, tmp_path):
    lent.files.save_picture(lent.machine, tmp_path / "none" / "x.png")
    assert lent.session.state.error is not None
    assert "--out" not in lent.statusBar().text.text()
    lent.files.save_picture(lent.machine, tmp_path / "x.png")
    assert lent.session.state.error is None
    assert lent.statusBar().currentMessage() == f"Wrote {tmp_path / 'x.png'}"


def test_an_error_of_a_scenario_is_shown_below_its_field(lent, tmp_path):
    path = tmp_path / "mixed.fabriscope.json"
    write_scenario(path, replace(preset("power775-halo"), routing=DimensionOrder()))
    lent.files.open(path)
    assert lent.statusBar().text.text().startswith("Routing: ")
    assert lent.statusBar().text.text().endswith(" · showing the scenario fitted to its network")
    assert lent.build.sections["routing"].message.text() != ""
    assert lent.windowTitle().startswith("mixed.fabriscope.json[*]")
    assert not lent.isWindowModified()


def test_writing_does_not_hide_errors_of_the_scenario(lent, tmp_path):
    lent.session.choose("mapping", Blocks(rows=3))
    lent.files.save_picture(lent.machine, tmp_path / "x.png")
    assert lent.session.state.error.field == "mapping.rows"
    assert lent.statusBar().text.text().startswith("Block rows: ")


def test_a_file_that_is_not_a_scenario_is_named(lent, tmp_path):
    path = tmp_path / "picture.json"
    path.write_text("no JSON")
    lent.files.open(path)
    assert lent.statusBar().text.text().startswith("picture.json cannot be opened: is not a valid scenario")


def test_a_long_evaluation_shows_progress_and_can_be_cancelled(qtbot, settings, painted, monkeypatch):
    from app.window.main_window import Window

    def endless(scenario, before, progress):
        # However busy the machine, it is cancelled while it runs.
        while True:
            progress(0.5)
            time.sleep(0.01)

    session = session_on(worked_example())
    window = Window(session, settings)
    window.show()
    good = session.state.evaluation
    monkeypatch.setattr("app.session.evaluator.evaluate_for_editing", endless)
    session.propose(Scenario(Torus(dims=(4, 4)), AllToAll(tasks=16), Sequential(), Adaptive()))
    qtbot.waitUntil(lambda: session.state.outdated)
    strip = window.bottleneck.headline.pending
    assert strip.text == "Computing: Torus …"
    qtbot.waitUntil(lambda: strip.bar.chunk == (0.0, 0.5))
    QTest.mouseClick(strip.cancel, Qt.MouseButton.LeftButton)
    assert session.state.pending is None
    assert not strip.isVisible()
    assert session.state.evaluation is good
    assert session.state.wanted == good.case.scenario
    session.wait_idle()
    qtbot.wait(50)
    assert session.state.evaluation is good
    window.close()
    window.deleteLater()


def test_a_preset_of_two_states_opens_side_by_side_and_takes_a_away_with_it(lent, qtbot):
    session = lent.session
    lent.files.open_preset("power775-all-to-all")
    qtbot.waitUntil(lambda: session.state.compared_pair is not None)
    a, b = (evaluation.case.scenario.job.algorithm for evaluation in session.state.compared_pair)
    assert (a, b) == ("node-by-node", "pairwise")
    lent.show_page("timeline")
    assert len(lent.views["timeline"].timelines) == 2
    lent.files.open_preset("clex-4x4x4")
    assert session.state.compared_pair is None
    session.set_reference(session.state.evaluation)
    lent.files.open_preset("hypercube-64-nodes")
    assert session.state.comparison.reference is None


def test_type_grows_and_shrinks_at_once_and_is_remembered(formless, window):
    label = window.statusBar().text
    usual = label.fontMetrics().height()
    window.hide()  # hidden steps are fast
    window.set_font_scale(FONT_SCALES[-4])
    for _ in range(5):
        window.commands["view.larger"].trigger()
    window.show()
    assert window.settings.font_scale == window.session.state.style.theme.scale == FONT_SCALES[-1]
    assert not window.commands["view.larger"].isEnabled()
    assert label.fontMetrics().height() == pytest.approx(2 * usual, rel=0.15)
    QTest.keyClick(window, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert window.settings.font_scale == FONT_SCALES[-2]
    window.commands["view.theme.light"].trigger()
    assert window.session.state.style.theme == LIGHT.scaled(FONT_SCALES[-2])
    QTest.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert label.fontMetrics().height() == usual
    window.settings._store.setValue("font_scale", "huge")
    assert window.settings.font_scale == 1
