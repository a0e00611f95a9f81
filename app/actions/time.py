"""The commands of the timeline."""

from app.actions.context import ActionContext
from app.actions.spec import ActionSpec, Toggle
from app.model.state import State


def _pin(context: ActionContext) -> None:
    chosen, watcher = context.session.state.selection, context.session.watcher
    if chosen is None:
        return
    if chosen in context.session.state.time.pinned:
        watcher.unpin(chosen)
    else:
        watcher.pin(chosen)
        context.shell.show_page("timeline")


def _pin_text(state: State) -> str:
    pinned = state.selection in state.time.pinned
    return "Remove the selection from the timeline" if pinned else "Add the selection to the timeline"


def _ranks(state: State) -> bool:
    found = state.time.timeline
    return found is not None and found.rank_times is not None


RANKS = Toggle(lambda s: s.time.ranks, lambda c, ranks: c.session.watcher.show_ranks(ranks), on=True, off=False)

TIMING = (
    ActionSpec(
        "time.pin", "Add the selection to the timeline", "View/Timeline", _pin, "Shift+T",
        lambda s: s.selection is not None, text=_pin_text, tip="a row that says how busy its links are in each step",
    ),
    ActionSpec(
        "time.unpin", "Remove all from the timeline", "View/Timeline", lambda c: c.session.watcher.unpin(), "",
        lambda s: bool(s.time.pinned), tip="the rows of links, nodes and whatever else was added",
    ),
    ActionSpec(
        "time.ranks", "A row for each rank", "View/Timeline", RANKS, "", _ranks,
        tip="who waits for whom; under fair share, where ranks go on by themselves",
    ),
)  # fmt: skip
