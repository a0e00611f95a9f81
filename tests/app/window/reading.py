"""Unreadable or unreachable parts of a window: texts that are cut off, controls without a name."""

import re
from functools import partial

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QDialog,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMenu,
    QMenuBar,
    QScrollBar,
    QStyle,
    QStyleOptionComboBox,
    QTabBar,
    QToolButton,
    QWidget,
)

from app.widgets.labels import ElidedLabel

LONGER = 1.35
"""Length of German texts relative to English ones."""
SLACK = 2
"""Pixels that a glyph may extend beyond its box."""
MARKUP = re.compile(r"<[^>]*>|&nbsp;")
WORD = re.compile(r"[^\W\d_]{3,}")


def longer(text):
    """Lengthen every word as a translation would, except figures."""
    texts, marks = MARKUP.split(text), [*MARKUP.findall(text), ""]
    long = [WORD.sub(lambda word: word[0] + "n" * round(len(word[0]) * (LONGER - 1)), part) for part in texts]
    return "".join(part for both in zip(long, marks, strict=True) for part in both)


def texts_of(widget):
    """Return the texts of a widget, each with its setter."""
    if isinstance(widget.parentWidget(), QLineEdit):
        return []  # a unit, written the same in every language
    if isinstance(widget, QLabel | QAbstractButton):
        return [(widget.setText, widget.text())]
    if isinstance(widget, QTabBar):
        return [(partial(widget.setTabText, index), widget.tabText(index)) for index in range(widget.count())]
    if isinstance(widget, QComboBox):
        return [(partial(widget.setItemText, index), widget.itemText(index)) for index in range(widget.count())]
    return [(action.setText, action.text()) for action in widget.actions()] if isinstance(widget, QMenuBar) else []


def lengthen(root):
    """Lengthen the texts of labels, buttons, boxes, tabs and menus; return what restores them."""
    texts = [entry for widget in (root, *root.findChildren(QWidget)) for entry in texts_of(widget) if entry[1]]
    for write, text in texts:
        write(longer(text))
    return texts


def seen(root):
    return [widget for widget in root.findChildren(QWidget) if widget.isVisible() and widget.window() is root]


def place(widget, within):
    return QRect(widget.mapTo(within, QPoint()), widget.size())


def cut_off(root):
    """Return the texts of a window that cannot be read in full, by a tool tip or by scrolling."""
    cut_texts = []
    for widget in seen(root):
        why = _own(widget) or _covered(widget, root)
        if why:
            cut_texts.append(f"{type(widget).__name__} {words(widget)!r}: {why}")
    return cut_texts


def words(widget):
    text = getattr(widget, "text", None)
    return (text() if callable(text) else "") or widget.accessibleName() or widget.objectName()


def _own(widget):
    """Whether the text is longer than the widget."""
    if isinstance(widget, ElidedLabel):
        return "" if widget.shown == widget.text() or widget.tip else "shortened, without a tool tip"
    metrics = widget.fontMetrics()
    if isinstance(widget, QLabel):
        return _label(widget, metrics)
    if isinstance(widget, QAbstractButton) and _shows_text(widget):
        needed = metrics.horizontalAdvance(widget.text().replace("&", ""))
        return "" if needed <= widget.contentsRect().width() + SLACK else f"{needed} of {widget.width()} px"
    if isinstance(widget, QComboBox) and not widget.isEditable():
        option = QStyleOptionComboBox()
        widget.initStyleOption(option)
        style, part = widget.style(), QStyle.SubControl.SC_ComboBoxEditField
        room = style.subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, widget).width()
        needed = metrics.horizontalAdvance(widget.currentText())
        is_in_tip = widget.currentText() in getattr(widget, "tip", "")  # where it is shortened
        return "" if needed <= room + SLACK or is_in_tip else f"{needed} of {room} px"
    return ""


def _shows_text(button):
    plain = not isinstance(button, QToolButton) or button.icon().isNull()
    return button.text() and (plain or button.toolButtonStyle() != Qt.ToolButtonStyle.ToolButtonIconOnly)


def _label(label, metrics):
    text = MARKUP.sub("", label.text())
    if label.textFormat() == Qt.TextFormat.RichText or text != label.text():
        return "" if label.sizeHint().width() <= label.width() + SLACK or label.wordWrap() else "rich text cut off"
    parts = re.split(r"[ \n]", text) if label.wordWrap() else text.splitlines()
    needed, room = max(map(metrics.horizontalAdvance, parts), default=0), label.contentsRect().width()
    if needed > room + SLACK:
        return f"{needed} of {room} px"
    if label.wordWrap() and label.heightForWidth(label.width()) > label.height() + metrics.descent():
        return f"{label.heightForWidth(label.width())} of {label.height()} px high"
    return ""


def _covered(widget, root):
    """Whether a part of a control or a text is outside its window and cannot be scrolled to."""
    if not isinstance(widget, QLabel | QAbstractButton | QComboBox | QAbstractSpinBox):
        return ""
    parent = widget.parentWidget()
    while parent is not None and parent is not root:
        if isinstance(parent.parentWidget(), QAbstractScrollArea) and parent is parent.parentWidget().viewport():
            area = parent.parentWidget()
            if area.horizontalScrollBarPolicy() != Qt.ScrollBarPolicy.ScrollBarAlwaysOff:
                return ""
        where = place(widget, parent)
        if where.left() < -SLACK or where.right() > parent.width() + SLACK:
            return f"from {where.left()} to {where.right()} px in {type(parent).__name__} {parent.width()} px wide"
        parent = parent.parentWidget()
    return ""


def overlapping(root):
    """Return pairs of texts or controls of one parent that overlap."""
    kinds, overlaps = QLabel | QAbstractButton | QComboBox | QAbstractSpinBox, []
    by_parent = {}
    for widget in seen(root):
        if isinstance(widget, kinds) and not isinstance(widget.parentWidget(), kinds):
            by_parent.setdefault(widget.parentWidget(), []).append(widget)
    for several in by_parent.values():
        for index, part in enumerate(several):
            for second in several[index + 1 :]:
                common = part.geometry().intersected(second.geometry())
                if common.width() > SLACK and common.height() > SLACK:
                    overlaps.append(f"{words(part)!r} over {words(second)!r}")
    return overlaps


SAID = re.compile(r"[^\W\d_]{2,}")
"""Widgets whose text identifies them, other than by a sign."""
INNER = ("ScrollLeftButton", "ScrollRightButton")
"""Parts of Qt's own widgets, which have accessible names."""


def controls(root):
    """Return the widgets of a window that take the focus or a click, shown or not."""
    kinds = QAbstractButton | QComboBox | QAbstractSpinBox | QAbstractSlider | QAbstractItemView | QTabBar | QLineEdit
    widgets = []
    for widget in root.findChildren(QWidget):
        above = [widget.parentWidget(), widget.parentWidget().parentWidget()]
        inner = widget.objectName() in INNER or widget.objectName().startswith("qt_")
        inner |= any(isinstance(ancestor, QComboBox | QAbstractItemView | QAbstractSpinBox) for ancestor in above)
        inner |= isinstance(widget, QScrollBar | QHeaderView | QMenu | QMenuBar | QDialog)
        if not inner and (isinstance(widget, kinds) or widget.focusPolicy() & Qt.FocusPolicy.TabFocus):
            widgets.append(widget)
    return widgets


def nameless(root):
    """Return the controls that a screen reader cannot announce: without a name, or named by a sign."""
    problems = []
    for widget in controls(root):
        spoken = QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)
        path = f"{type(widget).__name__} {widget.objectName()!r} in {type(widget.parentWidget()).__name__}"
        if not spoken.strip():
            problems.append(f"{path}: no name")
        elif isinstance(widget, QAbstractButton) and not SAID.search(widget.text()) and not widget.toolTip():
            problems.append(f"{path}: {widget.text()!r} without a tool tip")
        elif isinstance(widget, QAbstractButton) and not SAID.search(spoken):
            problems.append(f"{path}: only {spoken!r} is read out")
    return problems
