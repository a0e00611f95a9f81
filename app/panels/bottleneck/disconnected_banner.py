"""A warning about disconnected flows: the throughput excludes them."""

import numpy as np
from PySide6.QtWidgets import QFrame, QPushButton

from app.model.state import State
from app.session.session import Session
from app.widgets.labels import message_label, say
from app.widgets.layouts import column
from core.load.disconnected import MAX_LISTED, DisconnectedFlows

FIGURES = {
    True: "Loads count only connected flows. The throughput is for a node whose flows are all connected.",
    False: "All figures count only connected flows.",
}
"""The meaning of the throughput, by whether each task sends a unit (`core.load.rate`)."""
MAX_FLOWS = 3
"""Maximum number of disconnected flows named one by one."""


class DisconnectedBanner(QFrame):
    """A warning with the number of disconnected flows, the first of them, and a button to select their tasks."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.text, self.flows = message_label("error"), message_label("dim")
        self.mark = QPushButton("Select their tasks")
        self.mark.clicked.connect(self._on_mark_clicked)
        column(self.text, self.flows, self.mark, of=self, margins=(8, 6, 8, 6), spacing=3)
        self.hide()

    def show_state(self, state: State) -> None:
        """Warn about disconnected flows, if there are any."""
        cut = state.report.disconnected
        self.setVisible(bool(cut))
        if not cut:
            return
        self.setStyleSheet(f"DisconnectedBanner {{ border: 1px solid {state.style.theme.bad}; border-radius: 5px; }}")
        sentence = cut.sentence
        note = f" {FIGURES[state.report.case.job.unit]}" if cut.count and state.report.time > 0 else ""
        say(self.text, f"{sentence[:1].upper()}{sentence[1:]}.{note}")
        say(self.flows, first_flows(cut))
        self.mark.setVisible(bool(cut.count))
        tip = (
            f"Select the tasks of the first {MAX_LISTED:,} of {cut.count:,} disconnected flows"
            if cut.count > MAX_LISTED
            else ""
        )
        self.mark.setToolTip(tip)

    def _on_mark_clicked(self) -> None:
        first = self._session.state.report.disconnected.first
        self._session.mark(np.union1d(first.src, first.dst))


def first_flows(cut: DisconnectedFlows) -> str:
    """Return the first disconnected flows: ``task 5 → 9, task 6 → 10, task 7 → 11 …``."""
    pairs = zip(cut.first.src[:MAX_FLOWS].tolist(), cut.first.dst[:MAX_FLOWS].tolist(), strict=True)
    named = ", ".join(f"task {src:,} → {dst:,}" for src, dst in pairs)
    return named + (" …" if cut.count > MAX_FLOWS else "")
