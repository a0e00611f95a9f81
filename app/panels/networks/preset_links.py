"""The presets of a family as links in a row."""

from functools import partial
from itertools import islice
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.forms import with_values
from app.widgets.labels import label, link
from app.widgets.layouts import row
from core.spec import Spec

MAX_LINKS = 5


class PresetLinks(QWidget):
    """Offers the first few presets of a spec's family, real machines (presets with a note) first."""

    chosen = Signal(object)
    """The spec with a preset's values."""

    def __init__(self) -> None:
        super().__init__()
        self._row = row(label("dim", "Presets:"), of=self, spacing=10)
        self.links: list[QPushButton] = []
        self.hide()

    def show_presets_of(self, spec: Spec | None) -> None:
        """Show the presets of a family, or nothing if it has none."""
        for old in self.links:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.links = []
        if spec is not None:
            notes = spec.preset_notes
            presets = islice(sorted(spec.presets.items(), key=lambda preset: preset[0] not in notes), MAX_LINKS)
            self.links = [self._link(name, with_values(spec, values), notes.get(name)) for name, values in presets]
        self.setVisible(bool(self.links))

    def _link(self, name: str, preset: Any, note: str | None) -> QPushButton:
        button = link(name)
        button.setToolTip(note or "")
        button.clicked.connect(partial(self._on_link_clicked, preset))
        self._row.addWidget(button)
        return button

    def _on_link_clicked(self, preset: Any) -> None:
        self.chosen.emit(preset)
