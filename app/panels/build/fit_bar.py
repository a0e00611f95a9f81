"""A bar above the views that lists the changes made to fit another network, with undo and remedies."""

from PySide6.QtWidgets import QFrame, QLabel, QToolButton

from app.model.changes import ChangeSet
from app.session.session import Session
from app.widgets.labels import link, with_role
from app.widgets.layouts import column, row
from app.widgets.remedy_links import RemedyLinks


class FitBar(QFrame):
    """Shown until the next step of the history, or until it is closed, which accepts the changes."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        with_role(self, "banner")
        self._session = session
        self.text = QLabel(wordWrap=True)
        self.undo = link("Undo", "Return to the previous network, with its job, mapping and routing")
        self.links = RemedyLinks(self.undo, spacing=14)
        self.done = with_role(QToolButton(), "small")
        self.done.setText("×")
        self.done.setToolTip("Accept the changes and close")
        self.done.setAccessibleName("Close")
        self.undo.clicked.connect(session.editing.undo)
        self.links.chosen.connect(session.remedy)
        self.done.clicked.connect(session.accept_adaptation)
        column(row((self.text, 1), self.done, spacing=8), self.links, of=self, margins=(12, 6, 8, 6), spacing=2)
        session.changed.connect(self._on_session_changed)
        self._show()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes & (ChangeSet.HISTORY | ChangeSet.STATUS):
            self._show()

    def _show(self) -> None:
        state = self._session.state
        adaptation = state.history.adaptation
        self.setVisible(adaptation is not None and state.refusal is None)
        if adaptation is not None:
            self.text.setText(adaptation.sentence)
            self.links.show_remedies(state.remedies)
