"""The claims of a scene: one line each, with whether it holds."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.tour.expression import ClaimResult, written
from app.widgets.labels import label, link, message_label, say, set_role
from app.widgets.layouts import STRETCH, column, row
from app.widgets.line_edit import LineEdit

HINT = "throughput_gbs > 1.9 * blocks.throughput_gbs"
UNKNOWN, HOLDS, FAILS = ("dim", "…"), ("good", "✓ holds"), ("error", "✗ does not hold")
WRONG = "error", "✗ cannot be checked"


class ClaimRow(QWidget):
    """A claim, its mark, and its error below."""

    def __init__(self, claim: str) -> None:
        super().__init__()
        self.field, self.mark, self.message = LineEdit(), QLabel(), message_label("error")
        self.delete = link("Delete", "Delete this claim")
        self.field.setText(claim)
        self.field.setPlaceholderText(HINT)
        self.field.setAccessibleName("Claim")
        column(row((self.field, 1), self.mark, self.delete, spacing=8), self.message, of=self, spacing=2)
        self.show_result(None)

    def show_result(self, result: ClaimResult | None) -> None:
        """Show whether the claim holds; None while that is unknown."""
        role, words = UNKNOWN
        values = ""
        if result is not None:
            role, words = WRONG if result.error else HOLDS if result.holds else FAILS
            values = "\n".join(f"{name} = {written(value)}" for name, value in result.values)
        set_role(self.mark, role)
        self.mark.setText(words)
        for widget in (self.mark, self.field):
            widget.setToolTip(values)
        say(self.message, result.error[:1].upper() + result.error[1:] if result is not None else "")


class ClaimsEditor(QWidget):
    """Edits claims; empty claims are ignored."""

    changed = Signal()
    finished = Signal()
    """A field was left, or a claim deleted."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ClaimRow] = []
        self.add: QPushButton = link("Add claim", "Add a comparison to check, such as " + HINT)
        self.add.clicked.connect(self._on_add_clicked)
        head = row(label("subheading", "Claims"), self.add, STRETCH, spacing=8)
        self._column = column(head, of=self, spacing=4)

    @property
    def claims(self) -> tuple[str, ...]:
        """Return the claims as typed."""
        return tuple(text for claim in self.rows if (text := claim.field.text().strip()))

    def show_claims(self, claims: Sequence[str]) -> None:
        """Show other claims."""
        if tuple(claims) == self.claims:
            return
        for claim in self.rows:
            claim.deleteLater()
        self.rows = []
        for text in claims:
            self._append(text)

    def show_results(self, results: Sequence[ClaimResult]) -> None:
        """Show which claims hold."""
        by_claim = {result.claim: result for result in results}
        for claim in self.rows:
            claim.show_result(by_claim.get(claim.field.text().strip()))

    def _append(self, text: str) -> ClaimRow:
        claim = ClaimRow(text)
        claim.field.textEdited.connect(self.changed)
        claim.field.editingFinished.connect(self.finished)
        claim.delete.clicked.connect(partial(self._delete, claim))
        self.rows.append(claim)
        self._column.addWidget(claim)
        return claim

    def _on_add_clicked(self) -> None:
        self._append("").field.setFocus()

    def _delete(self, claim: ClaimRow) -> None:
        self.rows.remove(claim)
        claim.hide()
        claim.deleteLater()
        self.changed.emit()
        self.finished.emit()
