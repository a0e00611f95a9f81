"""The commands of the optimiser."""

from dataclasses import replace

from app.actions.context import ActionContext
from app.actions.spec import ActionSpec
from app.model.places import edit_error
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.wording import keys
from core.network.nics import HOST
from core.optimise.move_constraints import host_unit
from core.optimise.request import MAPPING

NOTHING_FOUND = f"no search has found a better mapping yet; Optimise ({keys.OPTIMISE}) starts one"


def _idle(state: State) -> bool:
    return state.search.phase is not SearchPhase.RUNNING


def _resumable(state: State) -> bool:
    return _idle(state) and state.usable_run is not None


def _running(state: State) -> bool:
    return state.search.phase is SearchPhase.RUNNING


def _has_run(state: State) -> bool:
    return state.search.phase is not SearchPhase.NONE


def _start(context: ActionContext) -> None:
    context.shell.cancel_gesture()
    context.shell.show_page("optimiser")
    context.session.optimiser.start()


def _host_unit(state: State) -> str | None:
    return host_unit(state.evaluation.case.network)


def _start_host_order(context: ActionContext) -> None:
    state = context.session.state
    unit = _host_unit(state)
    if unit is not None:
        context.session.set_search_settings(replace(state.search.settings, move=MAPPING, unit=unit))
        _start(context)


def _apply_best_swaps(context: ActionContext) -> None:
    context.shell.cancel_gesture()
    context.session.optimiser.apply_best_swaps()


def _explain(context: ActionContext) -> None:
    run = context.session.state.search.chosen_run
    if run is None or not run.better:
        context.session.report_error(edit_error(NOTHING_FOUND))
    else:
        context.session.optimiser.explain(run)


def _resume(context: ActionContext) -> None:
    run = context.session.state.usable_run
    if run is not None:
        context.shell.cancel_gesture()
        context.shell.show_page("optimiser")
        context.session.optimiser.resume(run)


OPTIMISING = (
    ActionSpec("optimise.start", "Optimise mapping", "Optimise", _start, keys.OPTIMISE, _idle, icon="optimise",
               tip="Search for a better mapping, with the settings of the Optimiser panel"),
    ActionSpec("optimise.host-order", "Best host order", "Optimise", _start_host_order, "",
               lambda s: _idle(s) and _host_unit(s) is not None,
               tip="Search for a better order of the hosts; the tasks of a host stay together",
               text=lambda s: f"Best {_host_unit(s) or HOST} order"),
    ActionSpec("optimise.best-swaps", "Apply best swaps", "Optimise",
               _apply_best_swaps, keys.BEST_SWAPS, _idle,
               tip="Apply the best swap until none helps, as one step of the history"),
    ActionSpec("optimise.stop", "Stop search", "Optimise", lambda c: c.session.optimiser.stop(), keys.STOP_SEARCH,
               _running, tip="Stop the search, then keep or discard its best mapping"),
    ActionSpec("optimise.resume", "Resume selected run", "Optimise", _resume, "", _resumable,
               tip="Continue where it stopped, with the full budget again"),
    ActionSpec("optimise.keep", "Keep best", "Optimise", lambda c: c.session.optimiser.keep(), keys.KEEP_BEST, _has_run,
               tip="Keep the best mapping found, as one step of the history", apart=True),
    ActionSpec("optimise.discard", "Discard", "Optimise", lambda c: c.session.optimiser.discard(), "", _has_run,
               tip=f"Restore the mapping before the search (also {keys.ESCAPE} or {keys.UNDO}); "
               "the run stays in the table"),
    ActionSpec("optimise.explain", "Compare run with its start", "Optimise", _explain, "E",
               tip="Show the difference, link by link, between the start of the selected run and its best mapping"),
    ActionSpec("optimise.pin", "Pin selected tasks", "Optimise", lambda c: c.session.optimiser.pin_marked(), "",
               lambda s: bool(s.marked.size), tip="Searches do not move pinned tasks",
               apart=True),
    ActionSpec("optimise.unpin", "Unpin all tasks", "Optimise", lambda c: c.session.set_pinned_tasks(()), "",
               lambda s: bool(s.search.pinned_tasks.size)),
    ActionSpec("optimise.mark-pinned", "Select pinned tasks", "Optimise",
               lambda c: c.session.mark(c.session.state.search.pinned_tasks), "",
               lambda s: bool(s.search.pinned_tasks.size)),
    ActionSpec("optimise.show", "Show optimiser", "Optimise", lambda c: c.shell.show_page("optimiser"),
               "Ctrl+Alt+O", apart=True),
)  # fmt: skip
