"""Counters compared with predicted loads: correlations, and the links that differ or that are slow."""

from typing import ClassVar

import numpy as np
from PySide6.QtCore import QSize, Signal

from app.model.changes import ChangeSet
from app.model.measurement import NO_VALUE, Measurement
from app.model.priority import Priority
from app.panels.measured.columns import class_columns, correlation_text, disagreeing_columns, link_columns
from app.session.faults import measured_speed, slow_down
from app.session.session import Session
from app.session.unknown_background import add_unknown_background, remove_unknown_background
from app.widgets.array_table import ArrayTable
from app.widgets.folded_notes import FoldedNotes
from app.widgets.labels import ElidedLabel, label, link, message_label, say, with_role
from app.widgets.layouts import column, row
from app.widgets.link_table import LinkTable
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_widget import SessionWidget
from app.widgets.wrapped import WrappedRow
from app.wording.numbers import percent, significant
from core.figures.measured import NO_WAITS
from core.load.compare import Ids
from core.text import as_sentence, plural

MAX_LINKS = 1000
"""Maximum number of links in the table."""
CLASSES, MORE, SLOW, DISAGREE = range(4)
"""Pages of the panel."""
PAGES = ("Classes", "More", "Slow", "Disagree")
NAMES = ("Link classes", "More than predicted", "Slow links", "Links whose ends disagree")
"""Accessible names of the pages."""
TIPS = (
    "Correlation and mean bandwidths of each link class",
    "Links with traffic that the prediction lacks, such as other jobs, largest difference first",
    "Links that carry less than predicted and wait long, longest wait per GB first",
    "Links whose two counters differ by more than 1 %, largest difference first",
)
NONE = ("", "No link carries more than predicted.", "No link is slow.", "The ends of all links agree.")
NO_INTERVAL = "Give the length of the interval in Build to know the speed of this link"
NOT_BELOW = "The measured bandwidth of this link is not below its bandwidth in the network"
ADDED = "Add what these links carry beyond the prediction as constant loads, which searches then avoid"
TOTAL = "Sum over links: a flow counts on each link that it crosses. Evaluations and searches count these loads"
REMOVED = "Predict loads without them; the counters stay"
FITTED, GIVEN = "Least squares through 0 over the links that agree", "The scale given in Build"
SLOWED = "Declare this link as slow, at its measured bandwidth; the loads are then predicted with it"


class MeasuredPanel(SessionWidget):
    """Shows how counters of links differ from predicted loads; clicking a link selects it everywhere."""

    title: ClassVar[str] = "Measured"
    subtitle_changed = Signal(str)
    """The number of links with counters, and the scale."""
    refresh_priority = Priority.CHARTS

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.headline, self.scale = label("subheading"), with_role(ElidedLabel(), "dim")
        self.parts = SegmentedControl(*PAGES)
        for index, tip in enumerate(TIPS):
            self.parts.group.button(index).setToolTip(tip)
            self.parts.group.button(index).setAccessibleName(NAMES[index])
        self.classes, self.links = ArrayTable(), LinkTable(session)
        self.classes.setSelectionMode(ArrayTable.SelectionMode.NoSelection)
        self.classes.setAccessibleName("Link classes by counters")
        self.links.setAccessibleName("Links that differ from their prediction")
        for table in (self.classes, self.links):
            table.hide()
        self.none, self.slow, self.add = message_label("dim"), link("Slow"), link("Add unknown background", ADDED)
        self.background, self.remove = message_label("dim"), link("Remove background", REMOVED)
        self.background.setToolTip(TOTAL)
        self.notes = FoldedNotes("counters")
        self.page = MORE
        self.parts.choose(self.page)
        self.parts.group.idClicked.connect(self._on_part_chosen)
        self.slow.clicked.connect(self._on_slow_clicked)
        self.add.clicked.connect(lambda: add_unknown_background(session))
        self.remove.clicked.connect(lambda: remove_unknown_background(session))
        head = WrappedRow(self.headline, self.parts, spacing=10)
        added = row((self.background, 1), self.remove, spacing=10)
        foot = row(self.add, self.slow, (label("dim"), 1))
        column(
            head, self.scale, added, self.none, (self.classes, 1), (self.links, 1), foot, self.notes,
            of=self, margins=(12, 2, 12, 8), spacing=4,
        )  # fmt: skip
        self.cover = OutdatedCover(session, self)

    def minimumSizeHint(self) -> QSize:
        """Return no height: the tables shrink, and the notes are cut."""
        return QSize(super().minimumSizeHint().width(), 0)

    @property
    def chosen_link(self) -> int | None:
        """Return the selected link if it is in the table, or else its first; None for an empty table."""
        item, links = self.state.selection, self.links.links
        if item is not None and item.kind == "link" and item.index in links:
            return item.index
        return int(links[0]) if links.size else None

    def refresh(self, changes: ChangeSet) -> None:
        """Show the comparison of the state on screen."""
        measurement = self.state.measurement
        if measurement is None:
            return
        if changes & (ChangeSet.LOADS | ChangeSet.TOPOLOGY | ChangeSet.STYLE):
            self._show(measurement)
        if ChangeSet.SELECTION in changes:
            self.links.show_selection(self.state.selection)
            self._show_slow(measurement)

    def _on_part_chosen(self, page: int) -> None:
        self.page = page
        if self.state.measurement is not None:
            self._show(self.state.measurement)

    def _on_slow_clicked(self) -> None:
        if self.chosen_link is not None:
            slow_down(self.session, self.chosen_link)

    def _show(self, measurement: Measurement) -> None:
        of, links = measurement.comparison, measurement.comparison.links
        self.headline.setText(f"Correlation {correlation_text(of.correlation())}")
        unit = of.report.case.job.measure.singular
        per_unit = of.scale / of.report.case.job.measure.per_volume
        self.scale.setText(f"{significant(per_unit)} {measurement.unit} per {unit} of predicted load")
        self.scale.setToolTip(FITTED if links.scale is None else GIVEN)
        given = int(np.count_nonzero(~np.isnan(of.measured)))
        total = plural(of.measured.size, "link")
        missing = f", {NO_VALUE} on {of.measured.size - given:,}" if given < of.measured.size else ""
        self.subtitle_changed.emit(f"{total}{missing}")
        lists = {MORE: of.hot, SLOW: of.slow, DISAGREE: links.disagree}
        for page, some in lists.items():
            self.parts.group.button(page).setText(f"{PAGES[page]} {some.size:,}")
        self.notes.show_notes(links.warnings)
        self._show_background(measurement)
        self.classes.setVisible(self.page == CLASSES)
        if self.page == CLASSES:
            self.classes.set_columns(class_columns(measurement))
        shown = lists.get(self.page)
        self.links.setVisible(shown is not None and shown.size > 0)
        none = as_sentence(NO_WAITS) if self.page == SLOW and not of.has_waits else NONE[self.page]
        say(self.none, none if shown is not None and not shown.size else "")
        if shown is not None:
            self._show_links(measurement, shown[:MAX_LINKS])
        self._show_slow(measurement)

    def _show_background(self, measurement: Measurement) -> None:
        background = measurement.background_text
        say(self.background, f"Includes {background}" if background else "")
        self.remove.setVisible(bool(background))
        self.add.setVisible(self.page == MORE and measurement.comparison.hot.size > 0)
        self.add.setText(f"Add {measurement.excess_text}")

    def _show_links(self, measurement: Measurement, links: Ids) -> None:
        columns = disagreeing_columns if self.page == DISAGREE else link_columns
        self.links.show_links(links, columns(measurement, links), self.state.evaluation.case.scenario)
        self.links.show_selection(self.state.selection)

    def _show_slow(self, measurement: Measurement) -> None:
        chosen = self.chosen_link if self.page == SLOW else None
        self.slow.setVisible(chosen is not None)
        if chosen is None:
            return
        speed = measured_speed(measurement.comparison, chosen)
        self.slow.setEnabled(speed is not None)
        name = self.state.evaluation.case.network.link_name(chosen)
        self.slow.setText(f"Slow {name} to {percent(speed)} in the network" if speed is not None else f"Slow {name}")
        unknown = NO_INTERVAL if measurement.comparison.links.seconds is None else NOT_BELOW
        self.slow.setToolTip(SLOWED if speed is not None else unknown)
