"""From the cause of a load to its path: a press on a row draws it, Escape clears it."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.model.pointing import Item, flow_item


def picture(window):
    window.machine.catch_up()
    return window.machine.grab().toImage()


def test_a_press_on_a_cause_draws_its_path_and_escape_clears_it(window):
    session, causes = window.session, window.bottleneck.causes
    link = int(session.state.report.hottest(1)[0])
    session.select(Item("link", link))
    window.bottleneck.catch_up()
    before = picture(window)
    QTest.mouseClick(causes.tasks, Qt.MouseButton.LeftButton, pos=causes.tasks.row_rect(0).center())
    assert session.state.selection == causes.tasks.parts[0].item
    assert link in session.state.drawn_paths.links
    window.bottleneck.catch_up()
    assert causes.path.isVisibleTo(window)
    assert picture(window) != before
    window.commands["select.none"].trigger()
    assert session.state.selection is None
    assert session.state.drawn_paths is None
    session.select(Item("link", link))
    assert picture(window) == before


def test_show_path_uses_two_selected_tasks_or_the_largest_cause(window):
    session, command = window.session, window.commands["select.path"]
    assert not command.isEnabled()
    session.mark([3, 70])
    QApplication.processEvents()
    command.trigger()
    assert session.state.selection == flow_item(3, 70)
    session.mark(())
    session.select(Item("link", int(session.state.report.hottest(1)[0])))
    cause = session.state.explained.tasks
    QApplication.processEvents()
    command.trigger()
    assert session.state.selection == flow_item(int(cause.src[0]), int(cause.dst[0]))
