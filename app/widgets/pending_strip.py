"""Describes a running computation, with a thin bar and a cancel button."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from app.background.compiling import FIRST_USE, CompilingWatch
from app.model.changes import ChangeSet
from app.model.computation import Computation
from app.model.state import State
from app.session.session import Session
from app.widgets.labels import link
from app.widgets.layouts import STRETCH, column, row
from app.widgets.progress_bar import ActivityBar

LOW_BAR_PX = 120
LINES = 2
"""Lines reserved for the description, so that nothing moves."""
FILLED = 0.8
"""Fraction of these lines that words always fill, since lines break between words."""
WHY_PREPARING = "Code for this calculation is compiled on first use after an installation or update."


class PendingStrip(QWidget):
    """Shows one computation: its description, a bar, and a button, if it can be cancelled.

    Parameters
    ----------
    choose
        Chooses the computation; while it chooses none, the strip keeps its last contents.
    low
        Whether everything is in one line, which is as wide as necessary.
    """

    def __init__(self, session: Session, choose: Callable[[State], Computation | None], *, low: bool = False) -> None:
        super().__init__()
        self._session, self._choose, self._low = session, choose, low
        self._preparing = CompilingWatch(self)
        self._preparing.changed.connect(self._update)
        self.verb, self.what = QLabel(), QLabel()
        self.bar, self.cancel = ActivityBar(), link("Cancel")
        self.cancel.clicked.connect(self._on_cancel_clicked)
        if low:
            self.bar.setFixedWidth(LOW_BAR_PX)
            row(self.verb, self.what, self.bar, self.cancel, of=self, spacing=6)
        else:
            self.what.setWordWrap(True)
            self.what.setAlignment(Qt.AlignmentFlag.AlignTop)
            self.what.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            head = row(self.verb, STRETCH, self.cancel, spacing=4)
            column(STRETCH, head, self.what, self.bar, STRETCH, of=self, spacing=2)
        self._fit()
        for label in (self.verb, self.what):
            label.setTextFormat(Qt.TextFormat.PlainText)
        session.changed.connect(self._on_session_changed)

    @property
    def text(self) -> str:
        """Return the contents as one line: ``Computing: Indirect routing …``."""
        return f"{self.verb.text()} {self.what.text()}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the words to the width."""
        super().resizeEvent(event)
        self._update()

    def _on_cancel_clicked(self) -> None:
        computation = self._choose(self._session.state)
        if computation is not None:
            self._session.cancel_computation(computation.kind)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.STYLE in changes:
            self._fit()
        if changes & (ChangeSet.STYLE | ChangeSet.STATUS | ChangeSet.PROGRESS):
            self._update()

    def _fit(self) -> None:
        if not self._low:
            self.what.setFixedHeight(LINES * self.what.fontMetrics().lineSpacing())

    def _update(self) -> None:
        computation = self._choose(self._session.state)
        if computation is None:
            return
        preparing = self._preparing.active
        verb, _, what = (FIRST_USE if preparing else f"{computation.words} …").partition(" ")
        self.verb.setText(verb)
        self.what.setText(what if self._low else self._shortened(what))
        self.setToolTip(f"{computation.words}. {WHY_PREPARING}" if preparing else computation.words)
        self.bar.show_fraction(0.0 if preparing else computation.fraction, self._session.state.style.theme)
        self.cancel.setVisible(computation.cancellable)

    def _shortened(self, text: str) -> str:
        room = round(LINES * FILLED * self.what.width())
        return self.what.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room)
