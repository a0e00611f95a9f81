"""Panels of the window: maximised by a double click, hidden, arranged in layouts, kept from one start to the next."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QSplitter

from app.model.panel_layout import DEFAULT, LAYOUTS, PANELS, PanelLayout, layout_text, read_layout
from app.model.state_groups import TOOLS
from app.style.theme import DARK
from app.widgets.card import MIN_SIZE, Card
from core.job import Halo, HaloNd
from tests.app.conftest import ask_nobody
from tests.app.sessions import session_on
from tests.app.undrawn import undrawn
from tests.patience import wait

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def desk(lent):
    lent.arrange("reset")
    settle()
    return lent


def settle():
    for _ in range(8):  # layouts depend on each other
        QApplication.sendPostedEvents()
        QApplication.processEvents()


def on_screen(window):
    return {name for name, widget in window.arrangement.panels.items() if widget.isVisible()}


def share(window, name):
    widget = window.arrangement.panels[name]
    return widget.width() * widget.height() / (window.width() * window.height())


def double_click_title(window, name):
    card = window.centre.cards[name]
    QTest.mouseDClick(card, LEFT, pos=QPoint(20, card.title.geometry().center().y()))
    settle()


def run(window, name):
    window.commands[name].trigger()
    settle()


@pytest.mark.parametrize("name", ["machine", "job", "inner", "matrix"])
def test_a_double_click_on_a_title_maximises_and_restores(desk, name):
    before, seen = share(desk, name), desk.machine.seen
    double_click_title(desk, name)
    assert on_screen(desk) == {name}
    assert share(desk, name) > 0.8
    assert desk.session.state.panels.maximised == name
    double_click_title(desk, name)
    assert on_screen(desk) == {*PANELS}
    assert share(desk, name) == pytest.approx(before, abs=0.01)
    assert desk.machine.seen == seen


def test_a_double_click_below_the_title_maximises_nothing(desk):
    card = desk.centre.cards["matrix"]
    QTest.mouseDClick(card, LEFT, pos=QPoint(card.width() // 2, card.height() - 4))
    assert on_screen(desk) == {*PANELS}


def test_charts_are_maximised_by_a_tab_and_docks_by_their_button(desk):
    tabs = desk.centre.charts.tabs
    QTest.mouseClick(tabs, LEFT, pos=tabs.tabRect(1).center())
    QTest.mouseDClick(tabs, LEFT, pos=tabs.tabRect(1).center())
    settle()
    assert on_screen(desk) == {"charts"}
    assert tabs.currentIndex() == 1
    desk.setFocus()
    QTest.keyClick(desk, Qt.Key.Key_Escape)
    settle()
    assert on_screen(desk) == {*PANELS}
    widths = [desk.arrangement.panels[name].width() for name in ("build", "bottleneck")]
    button = desk.arrangement.panels["build"].findChild(Card).maximise
    QTest.mouseClick(button, LEFT)
    settle()
    assert on_screen(desk) == {"build"}
    assert button.accessibleName() == "Restore all panels"
    QTest.mouseClick(button, LEFT)
    settle()
    wait(300)
    assert button.accessibleName() == "Maximise Build"
    assert [desk.arrangement.panels[name].width() for name in ("build", "bottleneck")] == pytest.approx(widths, abs=2)


def test_escape_restores_before_it_deselects(desk):
    desk.commands["select.hottest"].trigger()
    run(desk, "panel.maximise")
    assert len(on_screen(desk)) == 1
    run(desk, "select.none")
    assert on_screen(desk) == {*PANELS}
    assert desk.session.state.selection is not None


@pytest.mark.parametrize("name", PANELS)
def test_a_panel_is_hidden_and_comes_back_at_its_size(desk, name):
    before = share(desk, name)
    command = desk.commands[f"panel.{name}"]
    assert command.isChecked()
    run(desk, command.objectName())
    assert on_screen(desk) == {*PANELS} - {name}
    assert not command.isChecked()
    run(desk, command.objectName())
    wait(300)
    assert on_screen(desk) == {*PANELS}
    assert command.isChecked()
    assert share(desk, name) == pytest.approx(before, abs=0.01)


def test_the_last_panel_stays(desk):
    for name in list(PANELS)[1:]:
        run(desk, f"panel.{name}")
    assert on_screen(desk) == {"build"}
    assert not desk.commands["panel.build"].isEnabled()


def test_a_hidden_chart_comes_back_on_request(desk):
    run(desk, "panel.charts")
    run(desk, "view.timeline")
    assert "charts" in on_screen(desk)
    assert desk.views["timeline"].isVisible()


@pytest.mark.parametrize("size", [(1000, 700), (1280, 800), (1600, 1000)], ids=str)
@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_give_room_to_what_they_are_for(desk, name, size):
    with undrawn(desk):
        desk.resize(*size)
        settle()
        run(desk, f"layout.{name}")
        assert (desk.width(), desk.height()) == size
        assert on_screen(desk) == {*PANELS} - {*LAYOUTS[name].hidden}
        large = {"map": ("machine", "job"), "diagnose": ("machine", "bottleneck"), "time": ("charts",)}
        for panel in large.get(name, ("machine",)):
            assert share(desk, panel) > 0.15
        if name == "time":
            assert desk.views["timeline"].isVisible()
            assert share(desk, "charts") > share(desk, "machine")


def test_no_view_becomes_a_strip(desk):
    with undrawn(desk):
        for splitter in desk.centre.splitters.values():
            splitter.setSizes([10_000, *(splitter.count() - 1) * [0]])
        settle()
        for card in {*desk.centre.cards.values()}:
            assert card.width() >= MIN_SIZE.width()
            assert card.height() >= MIN_SIZE.height()


def test_resizing_the_window_and_back_restores_the_layout(desk):
    with undrawn(desk):
        wait(300)
        before = {name: share(desk, name) for name in PANELS}
        for size in ((1000, 700), (1280, 800)):
            desk.resize(*size)
            settle()
            wait(300)
        assert {name: share(desk, name) for name in PANELS} == pytest.approx(before, abs=0.005)


def drag_handle(splitter, by):
    handle = splitter.handle(1)
    start = handle.rect().center()
    QTest.mousePress(handle, LEFT, pos=start)
    QTest.mouseMove(handle, start + by)
    QTest.mouseRelease(handle, LEFT, pos=start + by)
    settle()


def test_a_layout_survives_a_restart_on_a_smaller_screen(window, settings, monkeypatch, scenario, qtbot):
    from app.window.main_window import Window

    ask_nobody(monkeypatch)
    drag_handle(window.centre.splitters["top"], QPoint(-80, 0))
    run(window, "panel.inner")
    window.show_page("traffic")
    job, machine = share(window, "job"), share(window, "machine")
    window.close()
    settings.set_bytes("geometry", None)
    again = Window(session_on(scenario, theme=DARK, sync=True), settings)
    qtbot.addWidget(again)
    again.resize(1000, 700)
    again.show()
    settle()
    wait(300)
    assert on_screen(again) == {*PANELS} - {"inner"}
    assert again.views["traffic"].isVisible()
    assert share(again, "job") / share(again, "machine") == pytest.approx(job / machine, rel=0.15)
    for splitter in again.findChildren(QSplitter):
        assert all(size > 0 for index, size in enumerate(splitter.sizes()) if not splitter.widget(index).isHidden())
    again.close()


def test_commands_work_although_their_panels_were_hidden_at_the_start(window, settings, monkeypatch, scenario, qtbot):
    from app.window.main_window import Window

    ask_nobody(monkeypatch)
    window.arrange("diagnose")
    window.close()
    again = Window(session_on(scenario, theme=DARK, sync=True), settings)
    qtbot.addWidget(again)
    again.show()
    settle()
    assert not {"build", "job"} & on_screen(again)
    run(again, "paint.take")  # without a pointer over a view
    assert again.session.state.edit.target is None
    run(again, "help.palette")
    palette = QApplication.activePopupWidget()
    QTest.keyClicks(palette.field, "halo any")
    QTest.keyClick(palette.field, Qt.Key.Key_Return)
    assert isinstance(again.session.state.wanted.job, HaloNd)
    QTest.mouseClick(again.steps.buttons["job"], LEFT)
    menu = QApplication.activePopupWidget()
    assert Halo.title in [action.text() for action in menu.actions()]
    menu.close()
    again.close()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", '{"shares": {"top": [-1, 2]}}', '{"shares": {"top": "wide"}}', '{"hidden": 3}', "\x00\udcff",
     layout_text(PanelLayout(hidden=tuple(PANELS)))],
)  # fmt: skip
def test_damaged_layouts_are_ignored(text):
    assert read_layout(text) == DEFAULT


def test_layouts_are_read_as_written_without_panels_of_other_versions():
    for layout in LAYOUTS.values():
        assert read_layout(layout_text(layout)) == layout
    other = PanelLayout(("globe", "job"), "globe", shares={"top": (0.0, 0.0)})
    assert read_layout(layout_text(other)) == PanelLayout(("job",))


def test_no_control_of_the_toolbar_moves_when_another_tool_is_chosen(desk):
    for size in ((1280, 800), (1600, 1000)):
        desk.resize(*size)
        places = set()
        for tool in TOOLS:
            desk.session.set_tool(tool)
            settle()
            bar = desk.toolbar
            controls = [*bar.findChildren(QAbstractButton), bar.options.level, bar.filter, *bar.findChildren(QLabel)]
            options = bar.options.chosen.findChildren(QLabel)
            fixed = [part for part in controls if part not in options]
            places.add(tuple((part.mapTo(desk, QPoint()).x(), part.isVisible()) for part in fixed))
        assert len(places) == 1
    captions = [label.text() for label in desk.toolbar.findChildren(QLabel) if label.isVisible()]
    assert {"Colour", "100 % is", "Links shown"} <= {*captions}
