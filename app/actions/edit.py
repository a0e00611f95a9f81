"""The commands that edit the mapping, manage jobs, select tasks and choose tools."""

from functools import partial

from app.actions.context import ActionContext
from app.actions.edit_commands import STRATEGIES, has_marks
from app.actions.spec import ActionSpec, Toggle
from app.model.places import next_target
from app.model.state import State
from app.model.state_groups import BRUSHES
from app.session.jobs import add_copy, remove_all, switch_to_next_job
from app.wording import keys
from core.mapping import MappingSpec


def _named(verb: str, name: str) -> str:
    # After "Undo", "Paint 3 tasks" becomes "paint 3 tasks", but "D-links per pair" keeps its capital.
    follows = name[:1].lower() + name[1:] if name[1:2].islower() else name
    return f"{verb} {follows}".rstrip()


def _has_background_jobs(state: State) -> bool:
    return bool(state.evaluation.case.neighbours.cases)


def _can_put(state: State) -> bool:
    return has_marks(state) and state.edit.target is not None


def _selected(state: State) -> bool:
    return state.selection is not None


def _tool(name: str) -> Toggle[str]:
    return Toggle(lambda s: s.edit.tool, lambda c, chosen: c.edits.take_tool(chosen), name)


def _deal(strategy: type[MappingSpec], context: ActionContext) -> None:
    context.edits.deal(strategy)


def _step_target(step: int, context: ActionContext) -> None:
    context.session.set_target(next_target(context.session.state, step))


EDITS = (
    ActionSpec(
        "edit.undo", "Undo", "Edit", lambda c: c.edits.undo(), keys.UNDO, lambda s: bool(s.undoes),
        text=lambda s: _named("Undo", s.undoes), icon="undo",
    ),
    ActionSpec(
        "edit.redo", "Redo", "Edit", lambda c: c.edits.redo(), "Ctrl+Shift+Z; Ctrl+Y",
        lambda s: bool(s.history.redo_name),
        text=lambda s: _named("Redo", s.history.redo_name), icon="redo",
    ),
    ActionSpec(
        "edit.copy-rankfile", "Copy as rank file", "Edit", lambda c: c.files.exchange.copy_rankfile(), "Ctrl+Shift+C",
        tip="the mapping on screen, for mpirun --rankfile", apart=True,
    ),
    ActionSpec("edit.clockwise", "Turn clockwise", "Edit/Turn and mirror", lambda c: c.edits.turn(1), "R", has_marks,
               tip="turn the layout of the marked block", apart=True),
    ActionSpec("edit.counter", "Turn counter-clockwise", "Edit/Turn and mirror", lambda c: c.edits.turn(-1), "Shift+R",
               has_marks),
    ActionSpec("edit.half", "Turn by 180°", "Edit/Turn and mirror", lambda c: c.edits.turn(2), "", has_marks),
    ActionSpec("edit.left-right", "Mirror left-right", "Edit/Turn and mirror", lambda c: c.edits.mirror("left-right"),
               "M", has_marks),
    ActionSpec("edit.top-bottom", "Mirror top-bottom", "Edit/Turn and mirror", lambda c: c.edits.mirror("top-bottom"),
               "Shift+M", has_marks),
    *(
        ActionSpec(
            f"edit.shift-{way.lower()}", f"Shift {way.lower()}", "Edit/Shift by one",
            partial(lambda by, c: c.edits.shift(*by), by), f"Ctrl+Shift+{way}", has_marks,
            tip="what leaves the marked block enters it at the other side",
        )
        for way, by in {"Left": (0, -1), "Right": (0, 1), "Up": (-1, 0), "Down": (1, 0)}.items()
    ),
    *(
        ActionSpec(
            f"edit.deal.{strategy.tag()}", strategy.title, "Edit/Deal marked tasks anew", partial(_deal, strategy),
            enabled=has_marks, tip="by this strategy, among the slots that the marked tasks have",
        )
        for strategy in STRATEGIES
    ),
    ActionSpec("edit.repeat", "Repeat the marked block's layout in all blocks", "Edit", lambda c: c.edits.repeat(),
               "Ctrl+R", has_marks, tip="each block keeps its own slots"),
    ActionSpec(
        "edit.put", "Put marked tasks on the target", "Edit", lambda c: c.edits.put_marked(), "Ctrl+Return", _can_put,
        tip="Enter in the task grid; a full target exchanges", apart=True,
    ),
    ActionSpec(
        "edit.swap", "Swap the two marked tasks or places", "Edit", lambda c: c.edits.swap_marked(), "Ctrl+Shift+X",
        has_marks, tip="two marked tasks, or all tasks of the two places on which the marked ones sit",
    ),
)  # fmt: skip

JOBS = (
    ActionSpec("jobs.next", "Switch to next job", "Edit/Background jobs", lambda c: switch_to_next_job(c.session), "",
               _has_background_jobs, tip="Bring the next background job into focus; no task moves"),
    ActionSpec("jobs.copy", "Add copy of this job", "Edit/Background jobs", lambda c: add_copy(c.session),
               tip="Run a copy of this job on nodes without tasks, as a background job"),
    ActionSpec("jobs.alone", "Remove all background jobs", "Edit/Background jobs", lambda c: remove_all(c.session), "",
               _has_background_jobs, tip="This job then runs alone"),
)  # fmt: skip

MARKS = (
    ActionSpec("mark.all", "Mark all tasks", "Select", lambda c: c.edits.mark_all(), "Ctrl+A",
               apart=True),
    ActionSpec("mark.none", "Mark no task", "Select", lambda c: c.session.mark(()), "Ctrl+Shift+A", has_marks),
    ActionSpec("mark.others", "Mark the others instead", "Select", lambda c: c.edits.mark_others(), "Ctrl+I"),
    ActionSpec(
        "mark.grow", "Grow what is marked", "Select", lambda c: c.edits.grow(), "G", has_marks,
        tip="to all tasks on the same nodes, then drawers, then supernodes",
    ),
    ActionSpec(
        "mark.selected", "Mark the tasks of what is selected", "Select", lambda c: c.edits.mark_selected(), "T",
        _selected, tip="of a link: those that cause its load", apart=True,
    ),
)  # fmt: skip

TOOLS = (
    ("select", "Select", "V", "click selects; drag marks tasks (Shift adds, Ctrl changes over); double click: a place"),
    ("paint", "Paint", "B", "put tasks on the target; Ctrl+click or I takes the place there as target"),
    ("drag", "Drag", "D", "tasks or places onto a node, drawer or supernode"),
    ("swap", "Swap", "X", "click two tasks or places"),
    ("allocate", "Allocate", "A", "draw over nodes of the machine: the job gets them, or gives up those it has"),
)
TOOL_ACTIONS = (
    *(
        ActionSpec(
            f"tool.{name}", f"{title} tool", "Tools",
            _tool(name), key, tip=tip, icon=name,
        )
        for name, title, key, tip in TOOLS
    ),
    ActionSpec("level.next", "Next level of places", "Tools", lambda c: c.edits.step_level(1), "N",
               tip="what tools take: supernodes, drawers, nodes, or what fits", apart=True),
    ActionSpec("level.previous", "Previous level of places", "Tools", lambda c: c.edits.step_level(-1), "Shift+N"),
    ActionSpec("paint.larger", "Larger brush", "Tools", lambda c: c.edits.step_brush(1), "]",
               lambda s: s.edit.brush < BRUSHES[-1], apart=True),
    ActionSpec("paint.smaller", "Smaller brush", "Tools", lambda c: c.edits.step_brush(-1), "[",
               lambda s: s.edit.brush > BRUSHES[0]),
    ActionSpec("paint.take", "Take the target under the pointer", "Tools", lambda c: c.edits.take_target(),
               keys.TAKE_TARGET, tip="of the machine, the job or a matrix; over none, at the cursor of the task grid"),
    ActionSpec("paint.next", "Next target", "Tools", partial(_step_target, 1), "."),
    ActionSpec("paint.previous", "Previous target", "Tools", partial(_step_target, -1), ","),
)  # fmt: skip
