"""The task grid alone with all tools; the mapping is checked at every change."""

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.style.theme import DARK
from app.tools.drag import DragTool
from app.tools.grid_keyboard import GridKeys
from app.tools.paint import PaintTool
from app.tools.select import SelectTool
from app.tools.swap import SwapTool
from app.tools.toolbox import Toolbox
from app.views.heatmaps.task_grid import JobGridView
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Blocks
from core.network import Percs
from core.routing import PercsDirect
from tests.app.sessions import session_on
from tests.pointer import drag, move, press, release

SMALL = Scenario(Percs(supernodes=4), Halo(rows=16, cols=32), Blocks(rows=8, cols=16), PercsDirect())
NO_KEYS = Qt.KeyboardModifier.NoModifier


class GridDriver:
    """16 × 32 tasks on 4 supernodes of 128, a block of 8 × 16 each; Alt+drag and the like go to real pixels."""

    def __init__(self, qtbot, tool, scenario=SMALL, size=(760, 460)):
        self.qtbot = qtbot
        self.session = session_on(scenario, theme=DARK, sync=True)
        self.view = JobGridView(self.session)
        qtbot.addWidget(self.view)
        self.select, self.paint = SelectTool(self.session, self.view), PaintTool(self.session, self.view)
        tools = (self.select, self.paint, DragTool(self.session), SwapTool(self.session))
        self.toolbox = Toolbox(self.session, tools, (self.view,), self.view)
        self.puts = []
        self.keys = GridKeys(self.view, self.toolbox, self.view)
        self.keys.put_asked.connect(lambda: self.puts.append(self.state.marked))
        self.session.set_tool(tool)
        self.session.changed.connect(self._on_session_changed)
        self.seen = 0
        self.start = self.state.evaluation
        self.view.resize(*size)
        self.view.setUpdatesEnabled(False)  # the picture is grabbed on request
        self.view.show()
        self.view.activateWindow()
        qtbot.waitUntil(self.view.isActiveWindow)

    @property
    def state(self):
        return self.session.state

    @property
    def slots(self):
        return self.state.evaluation.case.mapping.slots

    @property
    def marked(self):
        return self.state.marked.tolist()

    def at(self, row, col):
        return self.view.heat.cell_rect(row, col).center().toPoint()

    def press(self, row, col, keys=NO_KEYS):
        press(self.view.event_widget, self.at(row, col), modifiers=keys)

    def move(self, start, end, steps=4, keys=NO_KEYS):
        move(self.view.event_widget, self.at(*start), self.at(*end), steps, modifiers=keys)
        self.wait_heard()

    def wait_heard(self):
        """Wait until the tool has received the last move: it receives 60 per second."""
        self.qtbot.waitUntil(lambda: not self.toolbox.waiting)

    def release(self, row, col, keys=NO_KEYS):
        release(self.view.event_widget, self.at(row, col), modifiers=keys)

    def drag(self, start, end, steps=4, keys=NO_KEYS):
        drag(self.view.event_widget, self.at(*start), self.at(*end), steps, modifiers=keys)

    def click(self, row, col, keys=NO_KEYS):
        QTest.mouseClick(self.view.event_widget, Qt.MouseButton.LeftButton, keys, self.at(row, col))

    def double(self, row, col, keys=NO_KEYS):
        self.click(row, col, keys)
        QTest.mouseDClick(self.view.event_widget, Qt.MouseButton.LeftButton, keys, self.at(row, col))

    def key(self, key, keys=NO_KEYS, times=1):
        for _ in range(times):
            QTest.keyClick(self.view.surface, key, keys)

    def colour(self, at):
        """The colour of a pixel of the grid's surface."""
        return self.view.surface.grab().toImage().pixelColor(at).name()

    def colours(self, row, col):
        """The colours in a cell."""
        cell, image = self.view.heat.cell_rect(row, col).toRect(), self.view.surface.grab().toImage()
        return {
            image.pixelColor(x, y).name()
            for x in range(cell.left(), cell.right())
            for y in range(cell.top(), cell.bottom())
        }

    def assert_exact(self):
        """Assert that the live loads equal the loads of a full evaluation."""
        report = self.state.report
        np.testing.assert_allclose(report.load, evaluate(report.case).load, atol=1e-12)

    def tasks(self, rows, cols):
        return [row * 32 + col for row in rows for col in cols]

    def _on_session_changed(self, changes):
        slots = self.slots
        assert np.unique(slots).size == slots.size == 512
        assert 0 <= slots.min() <= slots.max() < self.state.evaluation.case.network.slots
        self.seen += 1
