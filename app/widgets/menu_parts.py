"""Context menus of widgets that offer entries, and copying rows as text."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, runtime_checkable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget


@runtime_checkable
class MenuPart(Protocol):
    """A widget that adds entries to the context menus over it."""

    def fill_menu(self, menu: QMenu, at: QPoint) -> None:
        """Add its entries for a point of the widget."""

    def menu_spot(self) -> QPoint:
        """Return the point of the widget for which the menu key asks."""


def widgets_around(widget: QWidget | None) -> Iterator[QWidget]:
    """Yield a widget and its parents, without its window."""
    while widget is not None and not widget.isWindow():
        yield widget
        widget = widget.parentWidget()


def asked_widget(window: QWidget, event: QContextMenuEvent) -> tuple[QWidget | None, QPoint]:
    """Return the widget for which a menu is requested, and the point on the screen: under the pointer, or focused."""
    if event.reason() != QContextMenuEvent.Reason.Keyboard:
        return window.childAt(window.mapFromGlobal(event.globalPos())), event.globalPos()
    focused = window.focusWidget()
    part = next((part for part in widgets_around(focused) if isinstance(part, MenuPart)), None)
    return focused, event.globalPos() if part is None else part.mapToGlobal(part.menu_spot())


def fill_from_parts(menu: QMenu, widget: QWidget | None, at: QPoint) -> None:
    """Add the entries of a widget and its parents for a point on the screen."""
    for part in widgets_around(widget):
        if isinstance(part, MenuPart):
            menu.addSeparator()
            part.fill_menu(menu, part.mapFromGlobal(at))


def open_menu_of_parts(window: QWidget, event: QContextMenuEvent) -> bool:
    """Open the menu of the parts of a window; return whether there are any entries."""
    widget, at = asked_widget(window, event)
    menu = QMenu(window)
    fill_from_parts(menu, widget, at)
    menu.aboutToHide.connect(menu.deleteLater)
    if menu.isEmpty():
        menu.deleteLater()
        return False
    menu.popup(at)
    return True


def copy_rows(rows: Iterable[Sequence[str]]) -> None:
    """Copy rows to the clipboard, a line each, with tabs between the cells."""
    QApplication.clipboard().setText("".join("\t".join(row) + "\n" for row in rows))
