"""The scenes of the tour in a strip: a click shows a scene, dragging moves it, F2 renames it, Delete deletes it."""

from functools import partial

import msgspec
from PySide6.QtCore import QItemSelectionModel, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QIcon, QImage, QKeyEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem

from app.background.work_queue import WorkList
from app.model.changes import ChangeSet
from app.model.scenes import Scene, Tour
from app.session.session import Session
from app.style.theme import Theme
from app.views.machine.thumbnail import error_thumbnail, scene_thumbnail
from core.spec import Progress, SpecError

WIDTH, HEIGHT = 144, 81
"""Pixels of a picture, at scale 1."""


class SceneStrip(QListWidget):
    """Follows the session's tour; pictures are drawn off the GUI thread once their scenes are evaluated."""

    chosen = Signal(int)
    """Number of the scene to show."""
    menu_asked = Signal(int, QPoint)
    """Number of a scene, and the point of the screen at which to open its menu."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._pictures: dict[int, tuple[Scene, QImage]] = {}
        """By the id() of the scene, which is kept alive with its picture; all in the theme `_theme`."""
        self._theme: Theme | None = None
        self._filling = False
        self._placed: tuple[Tour | None, int | None] = None, None
        """The tour and the current scene that were scrolled into view last."""
        self.setAccessibleName("Scenes of the tour")
        self.setViewMode(QListWidget.ViewMode.IconMode)
        self.setFlow(QListWidget.Flow.LeftToRight)
        self.setWrapping(False)
        self.setMovement(QListWidget.Movement.Snap)
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._works = WorkList("thumbnails", sync=session.sync, parent=self)
        self._works.done.connect(self._on_drawn)
        self._works.refused.connect(self._on_refused)
        self.itemClicked.connect(lambda item: self.chosen.emit(self.row(item)))
        self.itemActivated.connect(lambda item: self.chosen.emit(self.row(item)))
        self.itemChanged.connect(self._on_renamed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu_requested)

    def show_tour(self) -> None:
        """Update for the tour, the scene shown, and the theme."""
        state = self._session.state
        tour, theme = state.tour.tour, state.style.theme
        scenes = tour.scenes if tour is not None else ()
        if theme is not self._theme:
            self._theme = theme
            self._pictures.clear()
            self._size_items(theme)
        self._filling = True
        while self.count() > len(scenes):
            self.takeItem(self.count() - 1)
        while self.count() < len(scenes):
            self.addItem(QListWidgetItem())
        for number, scene in enumerate(scenes):
            self._fill(self.item(number), number, scene)
        self._filling = False
        asked = state.tour.scene_asked
        self._show_current(state.tour.scene if asked is None else asked)
        self._draw_missing()

    def close_works(self) -> None:
        """End the drawing thread."""
        self._works.close()

    def _size_items(self, theme: Theme) -> None:
        size = QSize(theme.px(WIDTH), theme.px(HEIGHT))
        self.setIconSize(size)
        self.setGridSize(size + QSize(theme.px(12), theme.px(30)))
        self.setFixedHeight(self.gridSize().height() + self.horizontalScrollBar().sizeHint().height() + theme.px(6))

    def _fill(self, item: QListWidgetItem, number: int, scene: Scene) -> None:
        text = f"{number + 1}  {scene.title}"
        if item.text() != text:
            item.setText(text)
            item.setToolTip(f"{text}\n\nClick to show, drag to move, F2 to rename, Delete to delete")
        item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
        _, picture = self._pictures.get(id(scene), (scene, None))
        if item.data(Qt.ItemDataRole.UserRole) is not picture or item.icon().isNull():
            item.setData(Qt.ItemDataRole.UserRole, picture)
            item.setIcon(_icon(picture if picture is not None else self._blank()))

    def _blank(self) -> QImage:
        image = QImage(self.iconSize(), QImage.Format.Format_RGB32)
        image.fill(self._session.state.style.theme.field)
        return image

    def _show_current(self, number: int | None) -> None:
        # Without a command Qt would extend the selection while Shift is held, as in the keys that add a scene.
        tour = self._session.state.tour.tour
        if number is None:
            self.setCurrentRow(-1, QItemSelectionModel.SelectionFlag.Clear)
            self.clearSelection()
        elif self.currentRow() != number or not self.item(number).isSelected():
            self.setCurrentRow(number, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if number is not None and self._placed != (tour, number):
            self.scrollToItem(self.item(number))
        self._placed = tour, number

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the current scene in view."""
        super().resizeEvent(event)
        if self.currentItem() is not None:
            self.scrollToItem(self.currentItem())

    def _on_menu_requested(self, at: QPoint) -> None:
        item = self.itemAt(at)
        if item is not None:
            self.menu_asked.emit(self.row(item), self.viewport().mapToGlobal(at))

    def _draw_missing(self) -> None:
        scenes, theme = self._session.tours.scenes, self._session.state.style.theme
        if scenes is None or not self.isVisible():
            return
        missing = [n for n, scene in enumerate(scenes.tour.scenes) if id(scene) not in self._pictures]
        size = self.iconSize().width(), self.iconSize().height(), self.devicePixelRatioF()

        def draw(number: int, progress: Progress) -> QImage:
            scenes.evaluation(number, progress)
            return scene_thumbnail(number, scenes, theme, *size)

        self._works.start([((scenes.tour.scenes[n], theme), partial(draw, n)) for n in missing])

    def _on_drawn(self, key: tuple[Scene, Theme], picture: QImage) -> None:
        scene, theme = key
        if theme is self._theme:
            self._pictures[id(scene)] = scene, picture
            self._refill(scene)

    def _on_refused(self, key: tuple[Scene, Theme], error: SpecError) -> None:
        size = self.iconSize()
        self._on_drawn(key, error_thumbnail(key[1], size.width(), size.height(), self.devicePixelRatioF()))

    def _refill(self, scene: Scene) -> None:
        tour = self._session.state.tour.tour
        self._filling = True
        for number, listed in enumerate(tour.scenes if tour is not None else ()):
            if listed is scene and number < self.count():
                self._fill(self.item(number), number, listed)
        self._filling = False

    def _on_renamed(self, item: QListWidgetItem) -> None:
        tour, number = self._session.state.tour.tour, self.row(item)
        if self._filling or tour is None or number >= len(tour.scenes):
            return
        scene = tour.scenes[number]
        # The number before the title is not part of it.
        title = item.text().removeprefix(str(number + 1)).strip()
        if title and title != scene.title:
            self._session.tours.replace(
                number, msgspec.structs.replace(scene, title=title), f"Rename scene {number + 1}"
            )
        else:
            self.show_tour()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept scenes of this strip only."""
        event.setAccepted(event.source() is self)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Accept them everywhere."""
        event.setAccepted(event.source() is self)

    def dropEvent(self, event: QDropEvent) -> None:
        """Move the dragged scene to where it is dropped."""
        source, at = self.currentRow(), event.position().toPoint()
        target = self.indexAt(at)
        beyond = self.count() - 1 if at.x() > 0 else 0
        to = target.row() if target.isValid() else beyond
        event.setDropAction(Qt.DropAction.IgnoreAction)
        event.accept()
        self._session.tours.move(source, to)
        self.show_tour()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete the selected scenes by Delete; move the current one by Control and an arrow."""
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key, control = Qt.Key(event.key()), bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if key == Qt.Key.Key_Delete:
            self._session.presentation.delete({self.row(item) for item in self.selectedItems()})
        elif control and key in steps:
            self._session.tours.move(self.currentRow(), self.currentRow() + steps[key])
        else:
            super().keyPressEvent(event)


def _icon(picture: QImage) -> QIcon:
    """Return an icon that is not tinted when selected: the frame shows the selection."""
    icon, pixmap = QIcon(), QPixmap.fromImage(picture)
    for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
        icon.addPixmap(pixmap, mode)
    return icon


CONCERNED = ChangeSet.TOUR | ChangeSet.STYLE
"""Changes that affect the strip."""
