"""The causes of a link's load: by hop role, by pair of groups and of tasks; for larger items, of their hottest link."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.model.flow_text import hop_parts, links_heading, path_line, path_title, summary
from app.model.load_parts import (
    LoadPart,
    carried,
    group_parts,
    in_measure,
    job_parts,
    labelled_parts,
    link_title,
    task_parts,
)
from app.model.measured_text import link_lines
from app.model.pointing import Item
from app.model.state import State
from app.model.subject import link_to_explain
from app.panels.bottleneck.part_list import PartList, RoleBar
from app.panels.bottleneck.subject_head import SubjectHead
from app.session.session import Session
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import column
from core.load.evaluate import LoadReport
from core.load.explain import Explanation, by_way

HINT = "Select a link in the table or the machine to see what causes its load."
WORKING = "Computing causes …"
LATER = "Causes appear when the edit or search has finished."
IDLE = "No traffic crosses this link."
IDLE_OWN = "No traffic of this job crosses this link."
NOT_PREDICTED = "No traffic is predicted on this link."
ON_LINK, PREDICTED = "Jobs on this link", "Jobs predicted on this link"
"""Headings of the jobs: counters may show further ones."""
OF_A_ROUND = "A round counts only the messages on a link. Show all steps to see the tasks that send them."


class Causes(QWidget):
    """Explains the selected link, or the hottest link of the selected item, even while a cause is selected."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self._report: LoadReport | None = None
        self._link: int | None = None
        self._explanation: Explanation | None = None
        self._subject: Item | None = None
        """The item being explained."""
        self._looked_at: Item | None = None
        """The item selected last in these lists, as a part of the subject."""
        self.head, self.title = SubjectHead(), label("subheading")
        self.pin = link("")
        self.pin.clicked.connect(self._on_pin_clicked)
        self.figures, self.note, self.bar = label("dim"), message_label("dim"), RoleBar()
        self.counters = label("text")
        for words in (self.title, self.figures, self.counters):
            words.setWordWrap(True)
        self.shared, self.jobs = label("subheading"), PartList(ON_LINK)
        self.caused = label("subheading", "Caused by")
        self.roles, self.ways = PartList("Load by hop"), PartList("Load by kind of path")
        self.labelled = PartList("Parts of the job that cause the load")
        self.groups, self.tasks = PartList("Groups that cause the load"), PartList("Tasks that cause the load")
        self.path = FlowPathPart()
        causing = (self.labelled, self.groups, self.tasks)
        self._explaining = (self.bar, self.roles, self.ways, self.caused, *causing)
        jobs, pin = (self.shared, self.jobs), (self.pin, 0, Qt.AlignmentFlag.AlignLeft)
        head = (self.head, self.title, self.figures, self.counters, *jobs, self.note, pin)
        column(*head, *self._explaining, self.path, of=self, margins=(0, 6, 0, 0), spacing=3)
        for parts in (self.head.links, self.groups, self.tasks, self.path.hops):
            parts.chosen.connect(self._on_part_chosen)
            parts.hovered.connect(lambda item: session.hover(item))

    def show_state(self, state: State) -> None:
        """Show the selected item; an item selected in these lists is part of the subject, and does not replace it."""
        chosen, report = state.selection, state.report
        if report is not self._report or chosen != self._looked_at or chosen is None:
            self._subject, self._looked_at = chosen, None
        if self._looked_at is None or self._looked_at.kind == "link" or report is not self._report:
            self._link = link_to_explain(chosen, report)
            explanation = state.explanation
            self._explanation = explanation if explanation is not None and explanation.link == self._link else None
        self._report = report
        self.head.show_subject(self._subject, state)
        self._show_pin(state)
        self._show_link(state)
        self._show_parts(state)
        for parts in (self.groups, self.tasks):
            parts.set_selected(chosen)
        self.path.show_state(state)
        hovered = state.paths_of(state.hover)
        if hovered is not None:
            self.tasks.setToolTip(f"{path_line(hovered)}\n{summary(hovered)}".strip())

    def _show_pin(self, state: State) -> None:
        # A row in the timeline is useful only with several steps.
        self.pin.setVisible(self._subject is not None and state.steps > 1)
        pinned = self._subject in state.time.pinned_items
        self.pin.setText("Remove from the timeline" if pinned else "Add to the timeline")

    def _on_pin_clicked(self) -> None:
        subject, watcher = self._subject, self.session.watcher
        if subject is not None:
            (watcher.unpin if subject in self.session.state.time.pinned_items else watcher.pin)(subject)

    def _on_part_chosen(self, item: Item) -> None:
        self._looked_at = item
        self.session.select(item)

    def _show_link(self, state: State) -> None:
        report, link = state.report, self._link
        self.title.setVisible(link is not None)
        self.figures.setVisible(link is not None)
        counted, colour = state.measurement is not None, state.style.theme.job_colour
        jobs = job_parts(report, link, colour, also_alone=counted) if link is not None else ()
        self.shared.setText(PREDICTED if counted else ON_LINK)
        self.jobs.set_parts(in_measure(jobs, report.case.job.measure), state.style.theme)
        for widget in (self.shared, self.jobs):
            widget.setVisible(bool(jobs))
        say(self.counters, "" if link is None else "\n".join(link_lines(state, link)))
        if link is None:
            say(self.note, HINT if self._subject is None else "")
            return
        share, load, name = report.utilisation[link], report.load[link], report.case.network.link_name(link)
        self.title.setText(link_title(name, share))
        self.title.setToolTip(name)
        step = f"in step {state.moment.step + 1:,}: " if state.moment is not None else ""
        self.figures.setText(step + carried(report, link))
        of_round = state.moment is not None and state.moment.rounds is not None
        working = OF_A_ROUND if of_round else LATER if state.edit.gesture else WORKING
        idle = IDLE_OWN if jobs else NOT_PREDICTED if counted else IDLE
        say(self.note, "" if self._explanation is not None and load > 0 else working if load > 0 else idle)

    def _show_parts(self, state: State) -> None:
        explanation = self._explanation
        for widget in self._explaining:
            widget.setVisible(explanation is not None and explanation.load > 0)
        if explanation is None or explanation.load <= 0:
            return
        case, theme = state.report.case, state.style.theme
        network, measure, order = case.network, case.job.measure, case.router.roles
        roles = tuple(
            LoadPart(role, load, load / explanation.load, colour=theme.roles[order.index(role) % len(theme.roles)])
            for role, load in explanation.roles.items()
        )
        self.bar.set_parts(roles)
        self.roles.set_parts(in_measure(roles, measure), theme)
        ways = [LoadPart(way, load, load / explanation.load) for way, load in by_way(network, explanation).items()]
        self.ways.set_parts(in_measure(ways, measure), theme)
        # With a single kind of traffic the list adds nothing.
        self.ways.setVisible(len(ways) > 1)
        labelled = labelled_parts(state.report, explanation)
        self.labelled.set_parts(in_measure(labelled, measure), theme)
        self.labelled.setVisible(bool(labelled))
        self.groups.set_parts(in_measure(group_parts(network, explanation), measure), theme)
        self.tasks.set_parts(in_measure(task_parts(explanation), measure), theme)


class FlowPathPart(QWidget):
    """Shows the paths of the selected flow; hidden unless a flow is selected and its paths are known."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.summary = label("subheading"), label("dim")
        for words in (self.title, self.summary):
            words.setWordWrap(True)
        self.heading, self.hops = message_label("dim"), PartList("Links on the path")
        column(self.title, self.summary, self.heading, self.hops, of=self, margins=(0, 6, 0, 0), spacing=3)
        self.hide()

    def show_state(self, state: State) -> None:
        """Show the paths of the selected flow."""
        paths = state.paths_of(state.selection)
        self.setVisible(paths is not None)
        if paths is None:
            return
        self.title.setText(path_title(paths))
        self.title.setToolTip(path_title(paths))
        text = summary(paths)
        self.summary.setText(text[:1].upper() + text[1:])
        say(self.heading, links_heading(paths))
        self.hops.set_parts(hop_parts(paths), state.style.theme)
        self.hops.set_selected(state.selection)
