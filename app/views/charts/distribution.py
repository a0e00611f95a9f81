"""Histograms of the loads of links, one for each class, side by side."""

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtWidgets import QWidget

from app.model.changes import COLOURS, ChangeSet
from app.model.pointing import exists
from app.model.state import State
from app.session.session import Session
from app.views.charts.distribution_grid import grid_for
from app.views.charts.histogram import BINS, Histogram, histograms, shown_classes
from app.views.charts.host import ChartHost
from app.views.legend import heading, reference_text, side_text
from app.views.scale_text import NO_LOAD
from app.wording.names import only_text

if TYPE_CHECKING:
    from app.views.charts.distribution_chart import DistributionChart

Bar = tuple[int, int]
"""Number of the chart, and of the bin in it."""


class DistributionView(ChartHost["DistributionChart"]):
    """One histogram for each link class shown."""

    id = "distribution"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.histograms: tuple[Histogram, ...] = ()
        self.pointed: Bar | None = None
        """The bar that is read out."""

    def refresh(self, changes: ChangeSet) -> None:
        """Count again, or only redraw."""
        if changes & COLOURS:
            self.histograms = histograms(self.state)
            self.pointed = None
            self.subtitle_changed.emit(self.subtitle())
        self.show_chart()

    def make_chart(self, parent: QWidget | None) -> "DistributionChart":
        """Return a new chart."""
        from app.views.charts.distribution_chart import DistributionChart

        return DistributionChart(parent)

    def connect_chart(self, chart: "DistributionChart") -> None:
        """Read out the bar under the pointer."""
        chart.hovered.connect(self._on_hovered)
        chart.pointer_left.connect(self._on_pointer_left)

    def fill(self, chart: "DistributionChart") -> None:
        """Show the histograms; the bar under the pointer is read out on the screen only."""
        chart.dress(self.state.style.theme, self.font())
        counters = self.state.counters
        scale = self.state.style.scale if counters is None else self.state.shading
        chart.show_histograms(self.histograms, scale, _chosen(self.state), counters)
        if chart is self.chart:
            chart.read_out(self.pointed)

    def plots(self) -> list[QRectF]:
        """Return the plot of each chart."""
        if not self.histograms:
            return []
        grid = grid_for(self.histograms, QSizeF(self.size()), self.font())
        return list(islice(grid.plots(), len(self.histograms)))

    def mark_at(self, where: QPointF) -> Bar | None:
        """Return the bar whose column contains a point; bar `BINS` counts links beyond the scale."""
        for chart, plot in enumerate(self.plots()):
            if plot.contains(where):
                columns = BINS + 2 if any(histogram.beyond for histogram in self.histograms) else BINS
                column = min(int((where.x() - plot.left()) / plot.width() * columns), columns - 1)
                return (chart, min(column, BINS)) if column != BINS else None
        return None

    def point_at(self, mark: Bar | None) -> None:
        """Read out a bar, or none."""
        if mark != self.pointed:
            self.pointed = mark
            if self.chart is not None:
                self.chart.read_out(mark)

    def _on_hovered(self, where: QPointF) -> None:
        self.point_at(self.mark_at(where))

    def _on_pointer_left(self) -> None:
        self.point_at(None)

    def subtitle(self) -> str:
        """Return the quantity and its unit."""
        time = reference_text(self.state)
        if not self.histograms or not time:
            return NO_LOAD if self.histograms else ""
        links = only_text(self.state.shown_class) or "links"
        if self.state.counters is not None:
            missing = f" · {side_text(self.state)}" * bool(self.state.counters.missing)
            return f"{links} by {heading(self.state)[0].lower()}{heading(self.state)[1:].partition(' · ')[0]}{missing}"
        return f"{links} by load ÷ bandwidth · 100 % = {time}"


def _chosen(state: State) -> tuple[int, float] | None:
    # The class of the selected link, and its position in bars.
    item, evaluation = state.selection, state.evaluation
    if item is None or item.kind != "link" or not exists(item, evaluation.case):
        return None
    values, scale = (
        (state.utilisation, state.style.scale) if state.counters is None else (state.counters.values, state.shading)
    )
    value = values[item.index : item.index + 1]
    if np.isnan(value[0]):
        return None
    column = float(scale.coordinate(value)[0]) * BINS - 0.5
    beyond = scale.exceeds(value)[0]
    network, shown = evaluation.case.network, shown_classes(state)
    link_class = network.classes[int(network.class_of[item.index])]
    return (shown.index(link_class), BINS + 1.5 if beyond else column) if link_class in shown else None
