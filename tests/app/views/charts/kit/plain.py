"""A plain chart: one area with bars of some heights, a cursor, and figures at both sides."""

import numpy as np
from PySide6.QtCore import QLineF, QRectF

from app.style.theme import DARK
from app.views.charts.kit.area import Area, Zoom
from app.views.charts.kit.axis import Axis
from app.views.charts.kit.caption import Sample
from app.views.charts.kit.chart import Chart
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.scales import LINEAR

HEIGHTS = np.array([200.0, 1000.0, 0.0, 640.0])


class Bars(Drawing):
    """Bars that count how often they are drawn."""

    def __init__(self, area, heights=HEIGHTS):
        super().__init__(area, cached=True)
        self.heights, self.drawn = heights, 0

    def draw(self, painter):
        self.drawn += 1
        bottom = self.area.rect().height()
        for k, height in enumerate(self.heights):
            left, top = self.snapped(self.area.x_of(k + 0.1), self.area.y_of(height))
            right, _ = self.snapped(self.area.x_of(k + 0.9), bottom)
            painter.fillRect(QRectF(left, top, right - left, bottom - top), self.look.colour("accent"))


class Cursor(Drawing):
    """A line over all that is drawn."""

    value = 0.0

    def __init__(self, area):
        super().__init__(area, z=1)

    def boundingRect(self):
        x = self.area.x_of(self.value)
        return QRectF(x - 2, 0, 4, self.area.rect().height())

    def move(self, value):
        self.prepareGeometryChange()
        self.value = value
        self.update()

    def draw(self, painter):
        x = self.area.x_of(self.value)
        painter.setPen(self.look.pen(self.look.theme.text, 1))
        painter.drawLine(QLineF(x, 0, x, self.area.rect().height()))


class PlainChart(Chart):
    """Bars over an area."""

    def __init__(self, parent=None, *, x=LINEAR, y=LINEAR, zoom=Zoom.WITH_CTRL, picks=False):
        super().__init__(parent)
        area = Area(x, y, zoom=zoom, picks=picks)
        left = Axis("left", area, widest="1,000", grid=True)
        self.plot = self.add_plot(0, area, left, Axis("bottom", area, base=0.5, unit="s"))
        self.plot.title.say(("load in GB/s per node", "GB/s"))
        self.bars, self.cursor = Bars(area), Cursor(area)
        area.set_home((0.0, 4.0), (0.0, 1000.0))
        self.dress(DARK, self.font())

    def dress(self, theme, font):
        super().dress(theme, font)
        self.plot.legend.explain([Sample("bars", self.look.pen(theme.accent, 2)), Sample("cursor")])
