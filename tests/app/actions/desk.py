"""What edits need of a window, which takes much longer to open: the task grid with its tools, and the commands."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.actions.action_set import ActionSet
from app.actions.context import ActionContext
from app.actions.edit_commands import EditCommands
from app.actions.table import ACTIONS
from app.tools.drag import DragTool
from app.tools.grid_keyboard import GridKeys
from app.tools.paint import PaintTool
from app.tools.select import SelectTool
from app.tools.swap import SwapTool
from app.tools.toolbox import Toolbox
from app.views.heatmaps.task_grid import JobGridView
from app.widgets.layouts import column
from app.window.status_bar import StatusLine


class Desk(QWidget):
    """Assembled as in the window; commands that open something have no user to ask."""

    def __init__(self, session):
        super().__init__()
        self.session, self.job = session, JobGridView(session)
        tools = (SelectTool(session, self.job), PaintTool(session, self.job), DragTool(session), SwapTool(session))
        self.toolbox = Toolbox(session, tools, (self.job,), self)
        self.grid_keys = GridKeys(self.job, self.toolbox, self)
        self.edits = EditCommands(session, self, self.job, self.grid_keys)
        self.grid_keys.put_asked.connect(self.edits.put_marked)
        self.commands = ActionSet(ACTIONS, ActionContext(session, self, None, self.edits, None, None), self)
        self.status = StatusLine(session, self)
        column(self.job, self.status, of=self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocus()

    def cancel_gesture(self):
        return self.toolbox.cancel()

    def pointed_hit(self):
        return self.toolbox.pointed_hit

    def pick(self):
        if self.grid_keys.active:
            self.grid_keys.pick()
