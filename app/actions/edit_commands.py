"""The Edit, Select and Tools commands: undo, selected tasks, structured edits, the brush's target."""

from collections.abc import Callable
from typing import Any

import numpy as np

from app.actions.shell import GridCursor, Shell
from app.model.computation import computing
from app.model.places import (
    EditBase,
    capacity,
    edit_error,
    level_meant,
    places_of_tasks,
    target_at,
    target_of_item,
    tasks_text,
)
from app.model.routes import Drawn
from app.model.search_run import NO_TASK_SELECTED
from app.model.state import State
from app.model.state_groups import BRUSHES
from app.session.session import Session
from app.views.heatmaps.task_grid import JobGridView
from app.wording import keys
from app.wording.names import in_sentence
from core.job.job import NO_TASKS, Tasks
from core.load.scenario import Case
from core.mapping import AnyMapping, MappingSpec
from core.mapping.edit import Edit
from core.mapping.rearrange import restrict
from core.mapping.rectangle import Sides, mirrored, rectangle_of, repeated, shifted, turned
from core.mapping.targets import Target, grown, level_names
from core.spec import Progress, SpecError, fields_of, members, no_progress
from core.text import plural

STRATEGIES: tuple[type[MappingSpec], ...] = tuple(
    spec
    for spec in members(AnyMapping)
    if issubclass(spec, MappingSpec) and not any(field.required or field.is_file for field in fields_of(spec))
)
"""Mapping strategies that need no form."""
TURNS = {1: "clockwise", -1: "counter-clockwise", 2: "by 180°"}
Work = Callable[[EditBase, Tasks], tuple[Edit, str]]
"""Returns an edit and its name for the mapping and the selected tasks."""


class EditCommands:
    """Edit commands of one window. A command that fails shows one line and changes nothing."""

    def __init__(self, session: Session, shell: Shell, grid: JobGridView, cursor: GridCursor) -> None:
        self._session, self._shell, self._grid, self._cursor = session, shell, grid, cursor

    def undo(self) -> None:
        """Cancel the running gesture, or undo the last step."""
        if not self._shell.cancel_gesture():
            self._session.editing.undo()

    def redo(self) -> None:
        """Redo the step undone last."""
        self._shell.cancel_gesture()
        self._session.editing.redo()

    def escape(self) -> None:
        """Cancel the first of: gesture, maximised panel, tasks, item, drawn path, filter; else fit the machine."""
        session, state = self._session, self._session.state
        if self._shell.cancel_gesture():
            return
        if session.editing.active:
            session.editing.cancel()
        elif state.panels.maximised:
            session.maximise("")
        elif state.marked.size:
            session.mark(NO_TASKS)
        elif state.selection is not None:
            session.select(None)
        elif state.routes.drawn is not Drawn.NOTHING:
            session.routes.draw(Drawn.NOTHING)
        elif state.shown_class is not None:
            session.set_link_class("")
        else:
            self._shell.fit()

    def mark_all(self) -> None:
        """Select all tasks."""
        self._session.mark(np.arange(self._case.job.tasks))

    def mark_others(self) -> None:
        """Invert the selection of tasks."""
        self._session.mark(np.setdiff1d(np.arange(self._case.job.tasks), self._session.state.marked))

    def mark_selected(self) -> None:
        """Select the tasks of the selected item: the tasks that cause a link's load, or that are on a node."""
        self._session.clear_transient_error()
        tasks = self._grid.chosen_tasks()
        if tasks.size:
            self._session.mark(tasks)
        else:
            message = "the selected item has no tasks; select a link, node or supernode"
            self._session.report_error(edit_error(message))

    def grow(self) -> None:
        """Extend the selection of tasks to entire nodes, then to drawers, and so on."""
        self._session.mark(grown(self._session.state.marked, self._case.mapping, self._case.network))

    def turn(self, quarters: int) -> None:
        """Rotate the layout of the selected block clockwise by `quarters` quarter turns."""
        self._shape(f"Rotate {{}} {TURNS[quarters]}", turned, quarters)

    def mirror(self, sides: Sides) -> None:
        """Mirror the layout of the selected block."""
        self._shape(f"Mirror {{}} {sides}", mirrored, sides)

    def shift(self, down: int, right: int) -> None:
        """Shift the layout of the selected block cyclically."""
        direction = {(0, -1): "left", (0, 1): "right", (-1, 0): "up", (1, 0): "down"}[down, right]
        self._shape(f"Shift {{}} {direction}", shifted, down, right)

    def repeat(self) -> None:
        """Repeat the layout of the selected block over the entire grid."""
        self._shape("Repeat the layout of {} in all blocks", repeated)

    def deal(self, strategy: type[MappingSpec]) -> None:
        """Redistribute the selected tasks over their slots by a mapping strategy, off the GUI thread if it searches."""
        case, tasks = self._case, self._session.state.marked
        name = f"Redistribute {tasks_text(tasks)}: {in_sentence(strategy.title)}"

        def edit(progress: Progress = no_progress) -> Edit:
            return restrict(case.mapping, tasks, strategy(), case.job, case.network, case.allocation, progress)

        def apply(edit: Edit) -> None:
            if self._case.mapping is case.mapping:
                self._edit(lambda *_: (edit, name))
            else:
                self._session.report_error(edit_error(f"{name}: the mapping has changed during the search"))

        if strategy.searches and tasks.size:
            self._session.evaluator.compute(
                computing(name), edit, apply, lambda error: self._session.report_error(edit_error(error.message))
            )
        else:
            self._edit(lambda *_: (edit(), name))

    def put_marked(self) -> None:
        """Move the selected tasks to the target."""
        target = self._session.state.edit.target
        if target is None:
            message = f"no target chosen; choose one in the toolbar, or point at a task and press {keys.TAKE_TARGET}"
            self._session.report_error(edit_error(message))
            return
        self._edit(lambda base, tasks: base.put(tasks, target))
        if self._session.state.error is None:
            network, marked = self._case.network, self._session.state.marked
            room = capacity(network, target.level)
            if marked.size > room:
                holds = f"{target.name(network)} holds {plural(room, 'task')}"
                message = f"{holds}; {marked.size - room:,} selected tasks did not fit"
                self._session.report_error(edit_error(message))

    def swap_marked(self) -> None:
        """Swap the two selected tasks, or the two places that hold the selected tasks."""
        self._edit(lambda base, tasks: _swapped(base, tasks, self._session.state.edit.level))

    def take_target(self) -> None:
        """Make the place under the pointer, or at the keyboard cursor if the pointer is over no view, the target."""
        state, pointed = self._session.state, self._shell.pointed_hit()
        if pointed is None and state.hover is None:
            pointed = self._cursor.hit
        target = target_of_item(state.hover, state) if pointed is None else target_at(pointed, state)
        if target is not None:
            self._session.set_target(target)

    def set_level(self, level: int | None) -> None:
        """Set the level of places for tools and target."""
        session, network = self._session, self._case.network
        session.set_level(level)
        target = session.state.edit.target
        if target is not None:
            session.set_target(Target.containing(int(target.nodes(network)[0]), level_meant(session.state), network))

    def step_level(self, step: int) -> None:
        """Step through the levels for tools: automatic, then from the coarsest to the finest, and around."""
        choices = (None, *range(len(level_names(self._case.network))))
        self.set_level(choices[(choices.index(self._session.state.edit.level) + step) % len(choices)])

    def step_brush(self, step: int) -> None:
        """Choose the next larger or smaller brush."""
        place = BRUSHES.index(self._session.state.edit.brush) + step
        self._session.set_brush(BRUSHES[min(max(place, 0), len(BRUSHES) - 1)])

    def take_tool(self, name: str) -> None:
        """Choose a tool; the swap tool immediately picks the task at the keyboard cursor."""
        self._session.set_tool(name)
        if name == "swap":
            self._shell.pick()

    @property
    def _case(self) -> Case:
        return self._session.state.evaluation.case

    def _shape(self, name: str, rearrange: Callable[..., Edit], *how: Any) -> None:
        """Rearrange the selected block; its size replaces ``{}`` in the name."""

        def work(base: EditBase, tasks: Tasks) -> tuple[Edit, str]:
            block = rectangle_of(tasks, base.case.job)
            edit = rearrange(base.case.mapping, block, base.case.job, *how)
            return edit, name.format(f"{block.rows} × {block.cols} tasks")

        self._edit(work)

    def _edit(self, work: Work) -> None:
        self._shell.cancel_gesture()
        session = self._session
        session.clear_transient_error()
        try:
            if not session.state.marked.size:
                raise edit_error(NO_TASK_SELECTED)
            edit, name = work(EditBase(self._case), session.state.marked)
        except SpecError as error:
            session.report_error(edit_error(error.message))
            return
        if edit.count:
            session.editing.apply(edit, name)
        else:
            session.report_error(edit_error(f"{name}: no task would move"))


def has_marks(state: State) -> bool:
    """Return whether any tasks are selected."""
    return bool(state.marked.size)


def _swapped(base: EditBase, tasks: Tasks, level: int | None) -> tuple[Edit, str]:
    if tasks.size == 2 and level is None:
        return base.exchange_tasks(int(tasks[0]), int(tasks[1]))
    network = base.case.network
    levels = range(len(network.levels) + 1) if level is None else (level,)
    for common in levels:
        places = np.unique(places_of_tasks(base.case, common)[tasks])
        if places.size == 2:
            return base.exchange(Target(common, int(places[0])), Target(common, int(places[1])))
    nodes = plural(np.unique(base.case.mapping.nodes[tasks]).size, "node")
    raise edit_error(f"the selected tasks are on {nodes}; select two tasks, or tasks on exactly two places")
