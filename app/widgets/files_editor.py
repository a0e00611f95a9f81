"""The editor of a list of files in the scenario's folder."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from app.widgets.ordered_editor import OrderedEditor
from core.spec import Field, name_for_scenario
from core.text import natural_order


class FilesEditor(OrderedEditor):
    """Paths of files in order, by default none."""

    def __init__(self, field: Field) -> None:
        super().__init__(field, "file")
        self.folder: Path | None = None
        """The scenario's folder; None if it was never saved."""
        self.list.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.add.clicked.connect(self._on_add_clicked)
        self.show_selected()

    def line(self, entry: str) -> tuple[str, str]:
        """Return a path, twice."""
        return entry, entry

    def show_selected(self) -> None:
        """Hide the list while it is empty."""
        super().show_selected()
        self.list.setVisible(bool(self.entries))

    def _on_add_clicked(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, self.field.title, str(self.folder or Path.cwd()))
        if names:
            paths = sorted(map(Path, names), key=lambda path: natural_order(path.name))
            self.insert(*(name_for_scenario(path, self.folder) for path in paths))
