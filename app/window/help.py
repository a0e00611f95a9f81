"""The reference, generated from the declarations that files, forms and messages use, in a window with a search."""

import re
from bisect import bisect_right
from importlib.resources import files
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, QSize, Qt, QUrl
from PySide6.QtGui import QColor, QImage, QKeyEvent, QKeySequence, QPalette, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import (
    QLineEdit,
    QPushButton,
    QSplitter,
    QTextBrowser,
    QTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QTreeWidgetItemIterator,
    QWidget,
)

import resources
from app.actions.keys import with_keys
from app.actions.table import ACTIONS
from app.widgets.labels import label
from app.widgets.layouts import column, row
from app.window.shortcuts import menu_path, view_gestures
from app.wording.reference import CHAPTERS, as_markdown, chapters, default_text, presets_text
from core.figures.reference import PLACEHOLDERS, grouped, meaning, unit_text
from core.files.scenario_file import describe
from core.load.scenario import UNIONS
from core.optimise.method import AnyMethod
from core.optimise.objective import AnyObjective
from core.spec import Spec, fields_of, members
from core.timing import AnyTiming

SIZE = QSize(62, 50)
"""Size of the window, in line heights."""
CONTENTS_SHARE = 0.28
"""Width of the contents, as a fraction of the window's."""
MARGIN_PX = 24
MAX_HIGHLIGHTS = 1000
"""Maximum number of matches that are highlighted at once."""
HIGHLIGHT_ALPHA = 70
"""Opacity, of 255, of the highlight of matches other than the current."""
PLACE = Qt.ItemDataRole.UserRole
NO_MATCH = "No match."


class HelpWindow(QWidget):
    """The reference, its contents at the left and a search above it.

    Enter goes to the next match and Shift+Enter to the previous; Esc in the field ends the search.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle("Fabriscope reference")
        size = (SIZE * self.fontMetrics().height()).boundedTo(self.screen().availableSize())
        self.resize(size)
        self.text, self.contents = QTextBrowser(), QTreeWidget()
        self.text.setMarkdown(reference())
        self.text.document().setDocumentMargin(MARGIN_PX)
        self._show_figures()
        self._headings = headings_of(self.text.document())
        self._plain = self.text.toPlainText()
        self.matches: list[tuple[int, int]] = []
        """Places in the text where the searched words begin and end."""
        self.current = -1
        """Number of the current match, or -1 without any."""
        self.field, self.count = QLineEdit(), label("dim")
        self.previous, self.next = QPushButton("Previous"), QPushButton("Next")
        self._fill_contents()
        self._build(size.width())
        self._connect()
        self._step(0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Step through the matches by Enter in the field; end the search by Esc."""
        kinds = QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress
        if watched is not self.field or not isinstance(event, QKeyEvent) or event.type() not in kinds:
            return super().eventFilter(watched, event)
        key, pressed = event.key(), event.type() == QEvent.Type.KeyPress
        if key == Qt.Key.Key_Escape and self.field.text():
            event.accept()  # else the window would handle it
            if pressed:
                self.field.clear()
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and pressed:
            self._step(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Highlight in the colours of the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_figures()
            self._highlight()

    def _show_figures(self) -> None:
        # The text names the figures for light backgrounds.
        document, base = self.text.document(), self.palette().color(QPalette.ColorRole.Base)
        theme = "dark" if base.lightness() < self.palette().color(QPalette.ColorRole.Text).lightness() else "light"
        for path in CHAPTERS.glob(f"*-{theme}.png"):
            name = QUrl(path.name.replace(f"-{theme}.", "-light."))
            document.addResource(QTextDocument.ResourceType.ImageResource, name, QImage(str(path)))
        document.markContentsDirty(0, document.characterCount())

    def _go_to(self, item: QTreeWidgetItem) -> None:
        self._lay_out()
        block = self.text.document().findBlock(item.data(0, PLACE))
        top = self.text.document().documentLayout().blockBoundingRect(block).top()
        self.text.verticalScrollBar().setValue(round(top) - MARGIN_PX // 2)
        self.contents.setCurrentItem(item)  # at the end of the text the page begins with an earlier heading

    def _build(self, width: int) -> None:
        self.field.setPlaceholderText("Search the reference")
        self.field.setAccessibleName("Search the reference")
        self.field.setClearButtonEnabled(True)
        self.field.installEventFilter(self)
        self.contents.setHeaderHidden(True)
        self.contents.setAccessibleName("Contents")
        split = QSplitter()
        split.addWidget(self.contents)
        split.addWidget(self.text)
        split.setSizes([round(CONTENTS_SHARE * width), round((1 - CONTENTS_SHARE) * width)])
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        head = row((self.field, 1), self.count, self.previous, self.next, spacing=8)
        column(head, (split, 1), of=self, margins=(10, 10, 10, 10), spacing=8)

    def _connect(self) -> None:
        self.field.textChanged.connect(self._search)
        self.previous.clicked.connect(lambda: self._step(-1))
        self.next.clicked.connect(lambda: self._step(1))
        self.contents.itemClicked.connect(self._go_to)
        self.contents.itemActivated.connect(self._go_to)
        self.text.verticalScrollBar().valueChanged.connect(self._follow)
        keys, standard = QKeySequence, QKeySequence.StandardKey
        QShortcut(keys(standard.Find), self, self._begin_search)
        QShortcut(keys(standard.FindNext), self, lambda: self._step(1))
        QShortcut(keys(standard.FindPrevious), self, lambda: self._step(-1))

    def _fill_contents(self) -> None:
        chapter = self.contents.invisibleRootItem()
        for place, level, title in self._headings:
            item = QTreeWidgetItem(chapter if level > 2 else self.contents.invisibleRootItem(), [title])
            item.setData(0, PLACE, place)
            item.setToolTip(0, title)
            if level <= 2:
                chapter = item

    def _begin_search(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def _search(self, text: str) -> None:
        pattern = r"\s+".join(map(re.escape, text.split()))
        self.matches = [match.span() for match in re.finditer(pattern, self._plain, re.IGNORECASE)] if pattern else []
        # From the first match on the page.
        top = self.text.cursorForPosition(self.text.viewport().rect().topLeft()).position()
        self.current = next((k for k, (begin, _) in enumerate(self.matches) if begin >= top), 0) if self.matches else -1
        self._step(0)

    def _step(self, step: int) -> None:
        """Go to another match, or show the current."""
        if self.matches:
            self.current = (self.current + step) % len(self.matches)
            cursor = QTextCursor(self.text.document())
            cursor.setPosition(self.matches[self.current][0])
            if not self._in_sight(cursor):
                self._scroll_to(cursor)
        none = NO_MATCH if self.field.text().strip() else ""
        self.count.setText(f"{self.current + 1:,} of {len(self.matches):,}" if self.matches else none)
        for button in (self.previous, self.next):
            button.setEnabled(bool(self.matches))
        self._highlight()

    def _in_sight(self, cursor: QTextCursor) -> bool:
        return self.text.viewport().rect().contains(self.text.cursorRect(cursor))

    def _scroll_to(self, cursor: QTextCursor) -> None:
        self._lay_out()
        # A third of the page above it shows where it is.
        page, bar = self.text.viewport().height(), self.text.verticalScrollBar()
        bar.setValue(bar.value() + self.text.cursorRect(cursor).top() - page // 3)

    def _lay_out(self) -> None:
        """Lay out the entire text and extend the scroll bar, which Qt does in a later turn of the event loop."""
        layout = self.text.document().documentLayout()
        layout.documentSizeChanged.emit(layout.documentSize())

    def _highlight(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.Highlight)
        near = range(max(self.current - MAX_HIGHLIGHTS // 2, 0), self.current + MAX_HIGHLIGHTS // 2)
        selections = []
        for number in near[: len(self.matches) - near.start] if self.matches else ():
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.text.document())
            cursor.setPosition(self.matches[number][0])
            cursor.setPosition(self.matches[number][1], QTextCursor.MoveMode.KeepAnchor)
            faint = QColor(colour)
            faint.setAlpha(HIGHLIGHT_ALPHA)
            selection.cursor = cursor
            selection.format.setBackground(colour if number == self.current else faint)
            if number == self.current:
                selection.format.setForeground(self.palette().color(QPalette.ColorRole.HighlightedText))
            selections.append(selection)
        self.text.setExtraSelections(selections)

    def _follow(self) -> None:
        """Mark the heading of the page in the contents."""
        top = self.text.cursorForPosition(QPoint(0, MARGIN_PX)).position()
        number = bisect_right([place for place, *_ in self._headings], top) - 1
        walk = QTreeWidgetItemIterator(self.contents)
        walk += max(number, 0)
        with QSignalBlocker(self.contents):
            self.contents.setCurrentItem(walk.value())


def headings_of(document: QTextDocument) -> list[tuple[int, int, str]]:
    """Return place, level and text of the headings of a document."""
    headings, block = [], document.begin()
    while block.isValid():
        level = block.blockFormat().headingLevel()
        if level:
            headings.append((block.position(), level, block.text()))
        block = block.next()
    return headings


def reference() -> str:
    """Return the entire reference as Markdown."""
    parts = [
        with_keys((files(resources) / "help.md").read_text(encoding="utf-8")),
        *chapters(),
        "## Keys and commands",
        _commands(),
        *_gestures(),
        "## Figures",
        _figures(),
    ]
    choices: dict[str, Any] = {f"{name.capitalize()} choices": union for name, union in UNIONS.items()}
    choices |= {
        "Timing choices": AnyTiming,
        "Optimiser objectives": AnyObjective,
        "Optimiser methods": AnyMethod,
    }
    for title, union in choices.items():
        parts += [f"## {title}", *map(_family, members(union))]
    return "\n\n".join(parts)


def _figures() -> str:
    parts = [PLACEHOLDERS]
    for title, figures in grouped().items():
        rows = [f"| {figure.name} | {meaning(figure)} | {unit_text(figure)} |" for figure in figures]
        parts.append("\n".join([f"### {title}\n", "| Figure | Meaning | Unit |", "|---|---|---|", *rows]))
    return "\n\n".join(parts)


def _commands() -> str:
    rows = [f"| {menu_path(spec)} | {spec.shortcut or '–'} | {spec.tip} |" for spec in ACTIONS]
    return "\n".join(["| Command | Key | Effect |", "|---|---|---|", *rows])


def _gestures() -> list[str]:
    tables = []
    for part, rows in view_gestures().items():
        lines = [f"| {gesture} | {effect} |" for gesture, effect in rows]
        tables.append("\n".join([f"### {part}\n", "| Input | Effect |", "|---|---|", *lines]))
    return tables


def _family(spec: type[Spec]) -> str:
    text = [f"### {spec.title} (`{spec.tag()}`)", (spec.__doc__ or "").strip()]
    rows = [
        f"| `{field.name}` | {as_markdown(describe(field))} | "
        f"{as_markdown(default_text(field.default, field.required))} |"
        for field in fields_of(spec)
    ]
    if rows:
        text.append("\n".join(["| Field | Description | Default |", "|---|---|---|", *rows]))
    if spec.presets:
        text.append(f"Presets: {presets_text(spec)}")
    return "\n\n".join(text)
