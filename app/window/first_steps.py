"""A line at the top of the window for newcomers: choose a machine, choose a job, search for a mapping."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu

from app.actions.keys import with_keys
from app.model.changes import ChangeSet
from app.model.state import State
from app.panels.build.section import ChoiceSection
from app.session.session import Session
from app.storage.settings import Settings
from app.widgets.forms import first_line
from app.widgets.labels import label, link, set_role, with_role
from app.widgets.layouts import STRETCH, row

DONE = "✓"
CLOSE = "✕"
MARGINS, SPACING = (12, 3, 8, 3), 18
LEVELS = ((True, True, True), (False, True, True), (False, False, True), (False, False, False))
"""Whether the heading, the full texts and the link to the tour are shown, by the room there is."""


@dataclass(frozen=True, slots=True)
class Step:
    """One of the first steps."""

    name: str
    text: str
    short: str
    """The text where there is little room."""
    tip: str


STEPS = (
    Step("machine", "Choose a machine", "Machine", with_keys("Choose a network or a machine ({key:network.choose})")),
    Step("job", "Choose a job or drop a trace", "Job", "Choose a job, or import or drop a trace"),
    Step("search", with_keys("Press {key:optimise.start} to optimise"), with_keys("{key:optimise.start}: optimise"),
         with_keys("Search for a better mapping ({key:optimise.start})")),
)  # fmt: skip
ALL = frozenset(step.name for step in STEPS)


class FirstSteps(QFrame):
    """Shows the steps until all are done or the line is closed; hidden during tours.

    `jobs` returns the section that lists and chooses the jobs; `run` runs a command by its id.
    """

    def __init__(
        self,
        session: Session,
        settings: Settings,
        jobs: Callable[[], ChoiceSection],
        run: Callable[[str], object],
    ) -> None:
        super().__init__()
        with_role(self, "card")
        self._session, self._settings, self._jobs, self._run = session, settings, jobs, run
        self._seen = session.state
        """The state before the next change."""
        self.buttons = {step.name: link("", step.tip) for step in STEPS}
        self._lead = label("title", "First steps")
        self.tour = link("Start-here tour", "A tour of this window in six scenes")
        self.close_button = link(CLOSE, "Close (reopen with Help › Show first steps)")
        self.close_button.setAccessibleName("Close first steps")
        parts = (self._lead, *self.buttons.values(), STRETCH, self.tour, self.close_button)
        row(*parts, of=self, margins=MARGINS, spacing=SPACING)
        self.buttons["machine"].clicked.connect(partial(run, "network.choose"))
        self.buttons["job"].clicked.connect(self._open_job_menu)
        self.buttons["search"].clicked.connect(partial(run, "optimise.start"))
        self.tour.clicked.connect(partial(run, "help.start"))
        self.close_button.clicked.connect(partial(self._finish, *ALL))
        session.changed.connect(self._on_session_changed)
        self._update()

    def begin_again(self) -> None:
        """Show the line with no step done."""
        self._settings.steps_done = frozenset()
        self._update()

    def minimumSizeHint(self) -> QSize:
        """Return no minimum width, so that the line never widens the window."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the texts if there is little room."""
        super().resizeEvent(event)
        self._make_room()

    def event(self, event: QEvent) -> bool:
        """Shorten the texts if they need more room, as in a larger font."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._make_room()
        return super().event(event)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        before, self._seen = self._seen, self._session.state
        if self._seen.tour.tour is None:
            self._finish(*_done_by(before, self._seen))
        if ChangeSet.TOUR in changes:
            self._update()

    def _finish(self, *names: str) -> None:
        done = self._settings.steps_done
        if not done.issuperset(names):
            self._settings.steps_done = done | set(names)
            self._update()

    def _update(self) -> None:
        done, tour = self._settings.steps_done, self._session.state.tour.tour
        for name, button in self.buttons.items():
            set_role(button, "done" if name in done else "link")
        visible = not done >= ALL and tour is None and not self._session.state.presenting
        if not visible or self.parentWidget() is not None:  # else it would be a window of its own
            self.setVisible(visible)
        self._make_room()

    def _make_room(self) -> None:
        fitting = (level for level in LEVELS if self._room(*level) <= self.width())
        lead, full, tour = next(fitting, LEVELS[-1])
        self._lead.setVisible(lead)
        self.tour.setVisible(tour)
        for button, text in zip(self.buttons.values(), self._texts(full), strict=True):
            if button.text() != text:
                button.setText(text)

    def _room(self, lead: bool, full: bool, tour: bool) -> int:
        """Return the width that the texts need, whether or not they are visible."""
        parts = [self.close_button, *([self._lead] if lead else []), *([self.tour] if tour else [])]
        widths = [part.sizeHint().width() for part in parts]
        for button, text in zip(self.buttons.values(), self._texts(full), strict=True):
            advance = button.fontMetrics().horizontalAdvance
            widths.append(button.sizeHint().width() - advance(button.text()) + advance(text))
        left, _, right, _ = MARGINS
        return left + sum(widths) + SPACING * len(widths) + right

    def _texts(self, full: bool) -> list[str]:
        done = self._settings.steps_done
        marks = (DONE if step.name in done else str(number) for number, step in enumerate(STEPS, start=1))
        return [f"{mark}  {step.text if full else step.short}" for mark, step in zip(marks, STEPS, strict=True)]

    def _open_job_menu(self) -> None:
        menu, jobs = QMenu(self), self._jobs()
        menu.setToolTipsVisible(True)
        for family in jobs.families:
            action = menu.addAction(family.title, partial(jobs.choose_family, family))
            action.setToolTip(first_line(family))
            if family is jobs.family:  # keeping the job is a choice, too
                action.triggered.connect(partial(self._finish, "job"))
        menu.addSeparator()
        menu.addAction("Import a trace …", partial(self._run, "file.import"))
        menu.aboutToHide.connect(menu.deleteLater)
        button = self.buttons["job"]
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))


def _done_by(before: State, now: State) -> list[str]:
    """Return the steps that a change has done: a job that was only made to fit the network is not chosen."""
    steps = {
        "machine": now.wanted.network != before.wanted.network,
        "job": type(now.wanted.job) is not type(before.wanted.job),
        "search": len(now.search.runs) > len(before.search.runs),
    }
    return [name for name, done in steps.items() if done]
