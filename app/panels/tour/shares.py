"""The views of a scene and their shares of the stage."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.model.scenes import ViewShare
from app.model.view_table import SPECS
from app.widgets.combo_box import ComboBox
from app.widgets.field_text import Refusal
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import STRETCH, column, row
from app.widgets.number_box import NumberBox
from core.spec import Field

MAX_VIEWS = 6
"""Maximum number of views of a scene."""
SHARE = Field(
    "share", float, "Share", "", "area relative to the other views", 1.0, required=False, low=0, high=1000, choices=(),
    optional=False, low_excluded=True, max_length=None, is_file=False,
)  # fmt: skip


class ShareRow(QWidget):
    """A view and its share."""

    def __init__(self, shown: ViewShare) -> None:
        super().__init__()
        self.view, self.share, self.message = ComboBox(), NumberBox(SHARE), message_label("error")
        for spec in SPECS.values():
            self.view.addItem(spec.title, spec.id)
        self.view.setCurrentIndex(self.view.findData(shown.view))
        self.view.setAccessibleName("View")
        self.share.set_value(shown.share)
        self.share.setAccessibleName("Share of the stage")
        self.share.setToolTip("Area on the stage, relative to the other views")
        self.delete = link("Delete", "Remove this view from the scene")
        self.share.edited.connect(self._on_share_edited)
        fields = row((self.view, 3), (self.share, 1), self.delete, spacing=8)
        column(fields, self.message, of=self, spacing=2)

    @property
    def shown(self) -> ViewShare:
        """Return the view with its last valid share."""
        return ViewShare(self.view.currentData(), float(self.share.value or 1.0))

    def _on_share_edited(self, value: float | Refusal | None, at_once: bool) -> None:
        say(self.message, f"Share: {value.message}." if isinstance(value, Refusal) else "")


class SharesEditor(QWidget):
    """Edits the views of a scene, the first of which is at the left of the stage."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ShareRow] = []
        self.add = link("Add view", "Add a view below the others")
        self.add.clicked.connect(self._on_add_clicked)
        head = row(label("subheading", "Views"), self.add, STRETCH, spacing=8)
        self._column = column(head, of=self, spacing=4)

    @property
    def views(self) -> tuple[ViewShare, ...]:
        """Return the views, each once."""
        views: dict[str, ViewShare] = {}
        for line in self.rows:
            views.setdefault(line.shown.view, line.shown)
        return tuple(views.values())

    def show_views(self, views: tuple[ViewShare, ...]) -> None:
        """Show other views."""
        if views == self.views:
            return
        for line in self.rows:
            line.hide()
            line.deleteLater()
        self.rows = []
        for shown in views:
            self._append(shown)
        self._follow()

    def _append(self, shown: ViewShare) -> None:
        line = ShareRow(shown)
        line.view.activated.connect(self._emit)
        line.share.editingFinished.connect(self._emit)
        line.share.edited.connect(self._on_share_edited)
        line.delete.clicked.connect(partial(self._delete, line))
        self._column.addWidget(line)
        self.rows.append(line)

    def _follow(self) -> None:
        self.add.setVisible(len(self.rows) < MAX_VIEWS)
        for line in self.rows:
            line.delete.setVisible(len(self.rows) > 1)

    def _on_share_edited(self, value: float | Refusal | None, at_once: bool) -> None:
        if at_once and not isinstance(value, Refusal):
            self._emit()

    def _emit(self) -> None:
        """Report other views, unless one is shown twice."""
        shown = [line.view.currentData() for line in self.rows]
        for number, line in enumerate(self.rows):
            twice = shown[number] in shown[:number]
            say(line.message, f"{line.view.currentText()} is already shown." if twice else "")
        if len(set(shown)) == len(shown):
            self.changed.emit()

    def _on_add_clicked(self) -> None:
        used = {shown.view for shown in self.views}
        self._append(ViewShare(next((name for name in SPECS if name not in used), next(iter(SPECS)))))
        self._follow()
        self._emit()

    def _delete(self, line: ShareRow) -> None:
        self.rows.remove(line)
        line.hide()
        line.deleteLater()
        self._follow()
        self._emit()
