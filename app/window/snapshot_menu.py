"""The menu of named snapshots: take, restore, compare, rename and delete them."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from html import escape

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from app.model.state import State
from app.session.session import Session
from app.widgets.popup import NamePrompt
from app.wording.numbers import throughput_text
from core.load.scenario import Scenario, Snapshot
from core.load.snapshots import (
    MAX_NAME_LENGTH,
    bare,
    free_name,
    restored,
    with_notes_of,
    with_renamed,
    with_snapshot,
    without_snapshot,
)

MAX_SHOWN = 48
"""Maximum number of characters of a name in the menu; the tool tip has the full name."""


class SnapshotMenu(QMenu):
    """Rebuilt from the session's state whenever it is about to show.

    `compare` is called with the scenario of a snapshot to compare with the state on screen.
    """

    done = Signal(str)
    """A message on a completed action that nothing on screen shows."""

    def __init__(self, session: Session, compare: Callable[[Scenario], object], parent: QWidget | None = None) -> None:
        super().__init__("Snapshots", parent)
        self.setToolTipsVisible(True)
        self._session, self._compare = session, compare
        self._deleted: Snapshot | None = None
        self._submenus: list[QMenu] = []
        self.aboutToShow.connect(self.fill)

    def ask_take(self) -> None:
        """Ask for a name and take a snapshot."""
        NamePrompt(self.parentWidget(), "Snapshot name", suggested_name(self._session.state), self.take).popup()

    def take(self, name: str) -> None:
        """Take a snapshot of the state on screen.

        Raises SpecError: if the name is empty, too long or taken.
        """
        state = self._session.state
        # The wanted scenario may be pending or refused.
        self._session.annotate(with_snapshot(with_notes_of(state.evaluation.case.scenario, state.wanted), name))
        self.done.emit(f"Took snapshot {short_name(name.strip())}; save the scenario to keep it")

    def restore(self, name: str) -> None:
        """Restore a snapshot; this can be undone."""
        wanted = self._session.state.wanted
        self._session.propose(restored(wanted, name), name=f"Restore {name}")

    def compare(self, name: str) -> None:
        """Compare a snapshot with the state on screen."""
        self._compare(restored(self._session.state.wanted, name))

    def ask_rename(self, name: str) -> None:
        """Ask for a new name of a snapshot."""
        question = f"New name for {short_name(name)}"
        NamePrompt(self.parentWidget(), question, name, partial(self.rename, name)).popup()

    def rename(self, name: str, new: str) -> None:
        """Rename a snapshot.

        Raises SpecError: if the new name is empty, too long or taken.
        """
        self._session.annotate(with_renamed(self._session.state.wanted, name, new))

    def delete(self, name: str) -> None:
        """Delete a snapshot; the menu offers to bring back the last one deleted."""
        wanted = self._session.state.wanted
        self._deleted = next(snapshot for snapshot in wanted.snapshots if snapshot.name == name)
        self._session.annotate(without_snapshot(wanted, name))
        self.done.emit(f"Deleted snapshot {short_name(name)}; the Snapshots menu can restore it")

    def bring_back(self) -> None:
        """Restore the snapshot deleted last, after the others; under a free name if its own is taken."""
        wanted, back = self._session.state.wanted, self._deleted
        if back is not None:
            if any(snapshot.name == back.name for snapshot in wanted.snapshots):
                back = replace(back, name=free_name(wanted))
            self._session.annotate(replace(wanted, snapshots=(*wanted.snapshots, back)))
            self._deleted = None

    def fill(self) -> None:
        """Build the menu from the session's state."""
        for menu in self._submenus:
            menu.deleteLater()
        self._submenus.clear()
        self.clear()
        state = self._session.state
        self.addAction("Take snapshot …", self.ask_take)
        if state.wanted.snapshots:
            self.addSeparator()
        for snapshot in state.wanted.snapshots:
            self._add(snapshot, state)
        if self._deleted is not None:
            self.addSeparator()
            self.addAction(f"Restore deleted {in_menu(self._deleted.name)}", self.bring_back)

    def _add(self, snapshot: Snapshot, state: State) -> None:
        menu = QMenu(in_menu(snapshot.name), self)
        self._submenus.append(menu)
        action = self.addMenu(menu)
        action.setToolTip(f"<p>{escape(snapshot.name)}<br>{escape(scenario_text(snapshot.kept))}</p>")
        on_screen = snapshot.kept == bare(state.evaluation.case.scenario)
        text = "Restore (on screen)" if on_screen else "Restore"
        menu.addAction(text, partial(self.restore, snapshot.name)).setEnabled(not on_screen)
        menu.addAction("Compare", partial(self.compare, snapshot.name))
        menu.addSeparator()
        menu.addAction("Rename …", partial(self.ask_rename, snapshot.name))
        menu.addAction("Delete", partial(self.delete, snapshot.name))


def suggested_name(state: State) -> str:
    """Return ``mod-colour, 64.0 GB/s``, or a number if that is taken or there is no throughput."""
    report = state.evaluation.report
    if report.throughput_gbs is None:
        return free_name(state.wanted)
    name = f"{report.case.scenario.mapping.title.lower()}, {throughput_text(report, brief=True)}"[:MAX_NAME_LENGTH]
    return free_name(state.wanted) if any(snapshot.name == name for snapshot in state.wanted.snapshots) else name


def short_name(name: str) -> str:
    """Return a name, shortened if it is long."""
    return name if len(name) <= MAX_SHOWN else name[: MAX_SHOWN - 1] + "…"


def in_menu(name: str) -> str:
    """Return a name for a menu: shortened, with ampersands escaped."""
    return short_name(name).replace("&", "&&")


def scenario_text(kept: Scenario) -> str:
    """Return ``Halo, 5-point on Power 775 (PERCS) · mod-colour · direct``."""
    return f"{kept.job.title} on {kept.network.title} · {kept.mapping.title.lower()} · {kept.routing.title.lower()}"
