"""The machine and the task grid side by side, with the tools that move tasks between them."""

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.style.theme import DARK
from app.tools.allocate import AllocateTool
from app.tools.drag import DragTool
from app.tools.gesture_tip import GestureTip
from app.tools.swap import SwapTool
from app.tools.toolbox import Toolbox
from app.views.heatmaps.task_grid import JobGridView
from app.views.machine.view import MachineView
from core.load.evaluate import evaluate
from tests.app.sessions import session_on
from tests.patience import wait
from tests.pointer import move

SIZE = (1200, 640)


class ToolDriver(QWidget):
    """Separate widgets, and the positions of items on them in pixels."""

    def __init__(self, scenario, tool, theme=DARK):
        super().__init__()
        self.session = session_on(scenario, theme=theme, sync=True)
        assert self.session.state.error is None
        self.machine, self.job = MachineView(self.session), JobGridView(self.session)
        row = QHBoxLayout(self)
        row.addWidget(self.machine, 3)
        row.addWidget(self.job, 2)
        self.drag, self.swap = DragTool(self.session), SwapTool(self.session)
        self.allocate = AllocateTool(self.session)
        tools = (self.drag, self.swap, self.allocate)
        self.toolbox = Toolbox(self.session, tools, (self.machine, self.job), self)
        self.tip = GestureTip(self.session, self)
        self.toolbox.pointed.connect(self.tip.follow)
        self.session.set_tool(tool)
        self.start = self.state.evaluation
        self.resize(*SIZE)

    @property
    def state(self):
        return self.session.state

    @property
    def slots(self):
        return self.state.evaluation.case.mapping.slots

    def box(self, group):
        return self.pixel(np.append(self.machine.scene.geometry.layout.boxes[group, :2], 0))

    def node(self, index):
        return self.pixel(self.machine.scene.geometry.layout.positions[index])

    @property
    def cell_px(self):
        """Distance of two nodes of a box."""
        positions = self.machine.scene.geometry.layout.positions
        return round(float(np.abs(positions[1] - positions[0]).max() * self.machine.camera.scale))

    def pixel(self, point):
        size = (self.machine.width(), self.machine.height())
        x, y = self.machine.camera.project(point, size)[:2]
        return QPoint(round(float(x)), round(float(y)))

    def cell(self, task):
        rows_cols = divmod(task, self.start.case.job.shape[1])
        return self.job.heat.cell_rect(*rows_cols).center().toPoint()

    def move(self, widget, start, end, **kinds):
        """Move with the button held, until the tools have received the last point."""
        move(widget, start, end, **kinds)
        while self.toolbox.waiting:
            wait(5)

    def point(self, widget, start, end, modifiers=Qt.KeyboardModifier.NoModifier, steps=2):
        """Move over a widget without a button."""
        self.move(widget, start, end, steps=steps, button=Qt.MouseButton.NoButton, modifiers=modifiers)

    def on(self, target, evaluation=None):
        """The tasks on a place."""
        case = (evaluation or self.state.evaluation).case
        return np.flatnonzero(np.isin(case.mapping.nodes, target.nodes(case.network)))

    def untouched(self):
        """Whether everything is as at the start, and no gesture is running."""
        state = self.state
        same = state.evaluation is self.start and state.wanted == self.start.case.scenario
        rests = (
            not state.edit.gesture
            and state.edit.drop_target is None
            and state.edit.grabbed_place is None
            and not state.edit.grabbed.size
        )
        return same and rests and not self.session.editing.active and not self.session.state.history.steps

    def assert_sound(self):
        """Assert that the mapping is an injection and the loads equal the loads of a full evaluation."""
        case, report = self.state.evaluation.case, self.state.report
        assert np.unique(case.mapping.slots).size == case.job.tasks
        full = evaluate(case)
        np.testing.assert_allclose(report.load, full.load, rtol=1e-12, atol=1e-12)
        assert abs(report.time - full.time) <= 1e-12 * full.time

    def leave(self):
        self.close()
        self.machine.close()
        self.session.close()
        self.deleteLater()
