"""Links to remedies, named after their effect."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.labels import link
from app.widgets.wrapped import WrappedRow
from core.load.remedies import Remedy


class RemedyLinks(QWidget):
    """Shows remedies as links after other widgets of its own."""

    chosen = Signal(object)
    """The `Remedy`."""

    def __init__(self, *before: QWidget, spacing: int = 10) -> None:
        super().__init__()
        self._row = WrappedRow(*before, spacing=spacing)
        self.setLayout(self._row)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._shown: tuple[Remedy, ...] = ()
        self.links: list[QPushButton] = []

    def show_remedies(self, remedies: Sequence[Remedy]) -> None:
        """Show these remedies and no others."""
        if self._shown == (shown := tuple(remedies)):
            return
        self._shown = shown
        for old in self.links:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.links = [link(remedy.title, remedy.note) for remedy in shown]
        for button, remedy in zip(self.links, shown, strict=True):
            button.clicked.connect(partial(self._on_link_clicked, remedy))
            self._row.addWidget(button)

    def _on_link_clicked(self, remedy: Remedy) -> None:
        self.chosen.emit(remedy)
