"""The commands that edit the mapping, manage jobs, select tasks and choose tools."""

from functools import partial

from app.actions.context import ActionContext
from app.actions.edit_commands import STRATEGIES, has_marks
from app.actions.spec import ActionSpec, Toggle
from app.model.places import next_target
from app.model.state import State
from app.model.state_groups import BRUSHES
from app.session.jobs import add_copy, remove_all, switch_to_next_job
from app.session.unknown_background import add_unknown_background, remove_unknown_background
from app.wording import keys
from app.wording.names import in_sentence
from core.mapping import MappingSpec
from core.routing.tables.engines import ENGINES
from core.routing.tables.engines.subnet import has_lids


def _named(verb: str, name: str) -> str:
    return f"{verb} {in_sentence(name)}".rstrip()


def _has_background_jobs(state: State) -> bool:
    return bool(state.evaluation.case.neighbours.cases)


def _has_lids(state: State) -> bool:
    return has_lids(state.evaluation.case.network)


def _route_again(engine: str, context: ActionContext) -> None:
    context.files.exchange.route_again(engine)


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
        tip="The mapping on screen, for mpirun --rankfile", apart=True,
    ),
    ActionSpec("edit.clockwise", "Rotate clockwise", "Edit/Rotate and mirror", lambda c: c.edits.turn(1), "R",
               has_marks, tip="Rotate the layout of the selected block", apart=True),
    ActionSpec("edit.counter", "Rotate counter-clockwise", "Edit/Rotate and mirror", lambda c: c.edits.turn(-1),
               "Shift+R", has_marks),
    ActionSpec("edit.half", "Rotate by 180°", "Edit/Rotate and mirror", lambda c: c.edits.turn(2), "", has_marks),
    ActionSpec("edit.left-right", "Mirror left-right", "Edit/Rotate and mirror", lambda c: c.edits.mirror("left-right"),
               "M", has_marks),
    ActionSpec("edit.top-bottom", "Mirror top-bottom", "Edit/Rotate and mirror", lambda c: c.edits.mirror("top-bottom"),
               "Shift+M", has_marks),
    *(
        ActionSpec(
            f"edit.shift-{way.lower()}", f"Shift {way.lower()}", "Edit/Shift by one",
            partial(lambda by, c: c.edits.shift(*by), by), f"Ctrl+Shift+{way}", has_marks,
            tip="Tasks that leave the selected block re-enter it on the opposite side",
        )
        for way, by in {"Left": (0, -1), "Right": (0, 1), "Up": (-1, 0), "Down": (1, 0)}.items()
    ),
    *(
        ActionSpec(
            f"edit.deal.{strategy.tag()}", strategy.title, "Edit/Redistribute selected tasks", partial(_deal, strategy),
            enabled=has_marks, tip="Redistribute the selected tasks over their slots by this strategy",
        )
        for strategy in STRATEGIES
    ),
    ActionSpec("edit.repeat", "Repeat layout in all blocks", "Edit", lambda c: c.edits.repeat(),
               "Ctrl+R", has_marks, tip="Copy the layout of the selected block to all blocks; each keeps its slots"),
    ActionSpec(
        "edit.put", "Put selected tasks on target", "Edit", lambda c: c.edits.put_marked(), "Ctrl+Return", _can_put,
        tip="Also Enter in the task grid; a full target swaps its tasks with the selected ones", apart=True,
    ),
    ActionSpec(
        "edit.swap", "Swap selected tasks or places", "Edit", lambda c: c.edits.swap_marked(), "Ctrl+Shift+X",
        has_marks, tip="Swap two selected tasks, or all tasks of the two places that hold the selected tasks",
    ),
)  # fmt: skip

JOBS = (
    ActionSpec("jobs.next", "Switch to next job", "Edit/Background jobs", lambda c: switch_to_next_job(c.session), "",
               _has_background_jobs, tip="Bring the next background job into focus; no task moves"),
    ActionSpec("jobs.copy", "Add copy of this job", "Edit/Background jobs", lambda c: add_copy(c.session),
               tip="Run a copy of this job on nodes without tasks, as a background job"),
    ActionSpec("jobs.alone", "Remove all background jobs", "Edit/Background jobs", lambda c: remove_all(c.session), "",
               _has_background_jobs, tip="This job then runs alone"),
    ActionSpec("jobs.unknown", "Add unknown background", "Edit/Background jobs",
               lambda c: add_unknown_background(c.session), "", lambda s: s.measurement is not None,
               tip="Add what links carry by counters beyond the prediction as constant loads", apart=True),
    ActionSpec("jobs.known", "Remove unknown background", "Edit/Background jobs",
               lambda c: remove_unknown_background(c.session), "", lambda s: bool(s.wanted.background),
               tip="Remove the constant loads of links that no job explains"),
)  # fmt: skip

ROUTES = tuple(
    ActionSpec(
        f"route.{engine.name}", f"{engine.title} …", "Edit/Route again", partial(_route_again, engine.name),
        enabled=_has_lids, tip=f"Compute forwarding tables without failed links, and compare: {engine.summary}",
    )
    for engine in ENGINES
)  # fmt: skip

MARKS = (
    ActionSpec("mark.all", "Select all tasks", "Select", lambda c: c.edits.mark_all(), "Ctrl+A",
               apart=True),
    ActionSpec("mark.none", "Deselect all tasks", "Select", lambda c: c.session.mark(()), "Ctrl+Shift+A", has_marks),
    ActionSpec("mark.others", "Invert task selection", "Select", lambda c: c.edits.mark_others(), "Ctrl+I"),
    ActionSpec(
        "mark.grow", "Grow task selection", "Select", lambda c: c.edits.grow(), "G", has_marks,
        tip="To all tasks on the same nodes, then drawers, then supernodes",
    ),
    ActionSpec(
        "mark.selected", "Select tasks of selected item", "Select", lambda c: c.edits.mark_selected(), "T",
        _selected, tip="For a link, the tasks that cause its load", apart=True,
    ),
)  # fmt: skip

TOOLS = (
    (
        "select",
        "Select",
        "V",
        "Click or drag to select tasks (Shift adds, Ctrl inverts); double-click selects a place",
    ),
    ("paint", "Paint", "B", "Paint tasks onto the target; Ctrl+click or I picks the target"),
    ("drag", "Drag", "D", "Drag tasks or places onto a node, drawer or supernode"),
    ("swap", "Swap", "X", "Click two tasks or places to swap them"),
    ("allocate", "Allocate", "A", "Draw over nodes of the machine to add them to the job or remove them"),
)
TOOL_ACTIONS = (
    *(
        ActionSpec(
            f"tool.{name}", f"{title} tool", "Tools",
            _tool(name), key, tip=tip, icon=name,
        )
        for name, title, key, tip in TOOLS
    ),
    ActionSpec("level.next", "Next level", "Tools", lambda c: c.edits.step_level(1), "N",
               tip="Level of the places that tools use: supernode, drawer, node, or automatic", apart=True),
    ActionSpec("level.previous", "Previous level", "Tools", lambda c: c.edits.step_level(-1), "Shift+N"),
    ActionSpec("paint.larger", "Larger brush", "Tools", lambda c: c.edits.step_brush(1), "]",
               lambda s: s.edit.brush < BRUSHES[-1], apart=True),
    ActionSpec("paint.smaller", "Smaller brush", "Tools", lambda c: c.edits.step_brush(-1), "[",
               lambda s: s.edit.brush > BRUSHES[0]),
    ActionSpec("paint.take", "Pick target under pointer", "Tools", lambda c: c.edits.take_target(),
               keys.TAKE_TARGET, tip="In the machine, the job or a matrix; elsewhere, at the cursor of the task grid"),
    ActionSpec("paint.next", "Next target", "Tools", partial(_step_target, 1), "."),
    ActionSpec("paint.previous", "Previous target", "Tools", partial(_step_target, -1), ","),
)  # fmt: skip
