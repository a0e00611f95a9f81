"""The presets of a family as links, one beside the other."""

from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from app.widgets.forms import with_values
from core.spec import Spec

MOST = 5


class PresetLinks(QWidget):
    """Offers the first few presets of a spec's family."""

    chosen = Signal(object)
    """The spec with a preset's values."""

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(10)
        self._title = QLabel("Presets:")
        self._title.setProperty("role", "dim")
        self._row.addWidget(self._title)
        self.links: list[QPushButton] = []
        self.hide()

    def show_presets_of(self, spec: Spec | None) -> None:
        """Show the presets of a family, or nothing if it has none."""
        for link in self.links:
            self._row.removeWidget(link)
            link.hide()
            link.deleteLater()
        presets = list(spec.presets.items())[:MOST] if spec is not None else []
        self.links = [self._link(name, with_values(spec, values)) for name, values in presets]
        self.setVisible(bool(presets))

    def _link(self, name: str, preset: Any) -> QPushButton:
        link = QPushButton(name)
        link.setProperty("role", "link")
        link.setCursor(Qt.CursorShape.PointingHandCursor)
        link.clicked.connect(partial(self._on_link_clicked, preset))
        self._row.addWidget(link)
        return link

    def _on_link_clicked(self, preset: Any) -> None:
        self.chosen.emit(preset)
