"""The widths of the docks next to the views, which follow the type scale and the window."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow

from app.background.timer import timer

DOCK_POWER = 0.7
"""Dock widths grow as the type scale to this power, since lines may wrap."""
SETTLED_MS = 250
"""Time after which the layout has settled."""
DOCK_SHARE = 0.495
"""Largest fraction of the window's width that docks take unless the user drags them wider."""
USUAL = ((2200, (310, 420)), (1500, (250, 330)), (1200, (250, 300)), (0, (216, 250)))
"""Widths of the docks at scale 1 in windows of at least these widths."""


class DockWidths(QObject):
    """Widens docks with the type scale and the window, and narrows them when either is smaller again."""

    def __init__(self, window: QMainWindow, docks: list[QDockWidget]) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self._scale = 1.0
        self._chosen: tuple[float, ...] | None = None
        """Fractions of the window's width chosen by the user, at scale 1; None for the usual widths."""
        self._seen: tuple[int, list[int]] | None = None
        """The window's width and the docks' widths set last: other widths of the docks were chosen by the user.
        None if not known yet."""
        self._settling = timer(window, SETTLED_MS, single_shot=True)
        self._settling.timeout.connect(self._settle)
        self._widths: list[int] = []
        """Widths requested last."""
        window.installEventFilter(self)

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the fractions of the window's width chosen by the user; empty for none."""
        self._note()
        return self._chosen or ()

    def share_out(self, chosen: tuple[float, ...], scale: float) -> None:
        """Set the fractions of the window's width at scale 1, empty for the usual widths, and the scale."""
        self._chosen, self._scale = chosen if len(chosen) == len(self._docks) else None, scale
        self.resize()

    def follow(self, scale: float) -> None:
        """Adapt the widths to another type scale."""
        if scale != self._scale and self._widths:
            self._note()
            self._scale = scale
            self.resize()

    def resize(self) -> None:
        """Give all docks their widths."""
        wanted = [width * self._scale**DOCK_POWER for width in self._usual()]
        most = DOCK_SHARE * self._window.width()
        most = sum(wanted) if self._chosen is not None and self._scale <= 1 else most
        self._widths = [round(width * min(1.0, most / sum(wanted))) for width in wanted]
        self._window.resizeDocks(self._docks, self._widths, Qt.Orientation.Horizontal)
        # Contents may need more, which is known once everything is laid out.
        self._seen = None
        self._settling.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the window's width, and note the widths to which the user has dragged the docks."""
        if event.type() == QEvent.Type.MouseButtonRelease:
            self._note()
        elif event.type() == QEvent.Type.Resize and self._widths:
            self.resize()
        return False

    def _usual(self) -> list[float]:
        if self._chosen is not None:
            return [share * self._window.width() for share in self._chosen]
        return next([float(width) for width in widths] for least, widths in USUAL if self._window.width() >= least)

    def _note(self) -> None:
        """Take the widths on screen as the user's if they differ from the widths set."""
        width, now = self._window.width(), [dock.width() for dock in self._docks]
        visible = all(dock.isVisible() for dock in self._docks)
        if visible and self._seen is not None and self._seen[0] == width and self._seen[1] != now:
            self._chosen = tuple(dock / self._scale**DOCK_POWER / width for dock in now)
            self._widths, self._seen = now, (width, now)

    def _settle(self) -> None:
        self._window.resizeDocks(self._docks, self._widths, Qt.Orientation.Horizontal)
        self._seen = self._window.width(), [dock.width() for dock in self._docks]
