"""Notes below a form: the first few, and the others behind a link."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.widgets.labels import link, message_label, say
from app.widgets.layouts import STRETCH, column, row

AT_FIRST = 2
"""Notes shown before the link."""
MORE, FEWER = "More notes", "Fewer notes"


class FoldedNotes(QWidget):
    """Shows notes, a line each; of more than a few the last are folded until a link is clicked."""

    def __init__(self, about: str) -> None:
        super().__init__()
        self._about = about
        self._notes: tuple[str, ...] = ()
        self.label = message_label("warning")
        self.more = link(MORE)
        self.more.clicked.connect(self._on_more_clicked)
        column(self.label, row(self.more, STRETCH), of=self, spacing=2)
        self._show(folded=True)

    def show_notes(self, notes: Sequence[str]) -> None:
        """Show these notes and no others; the same notes stay unfolded."""
        if self._notes != (shown := tuple(notes)):
            self._notes = shown
            self._show(folded=True)

    def text(self) -> str:
        """Return the notes shown."""
        return self.label.text()

    def _show(self, *, folded: bool) -> None:
        self._folded = folded
        hidden = len(self._notes) - AT_FIRST
        say(self.label, "\n".join(self._notes[:AT_FIRST] if folded else self._notes))
        text = MORE if folded else FEWER
        self.more.setText(f"{text} ({hidden:,})" if folded else text)
        self.more.setAccessibleName(f"{text} on the {self._about}")
        self.more.setVisible(hidden > 0)
        self.setVisible(bool(self._notes))

    def _on_more_clicked(self) -> None:
        self._show(folded=not self._folded)
