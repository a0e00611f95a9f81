"""The commands of the timeline."""

from collections.abc import Callable
from functools import partial

from app.actions.context import ActionContext
from app.actions.spec import ActionSpec, Toggle
from app.model.state import State
from app.views.charts.player import Player
from app.wording import keys


def _pin(context: ActionContext) -> None:
    chosen, watcher = context.session.state.selection, context.session.watcher
    if chosen is None:
        return
    if chosen in context.session.state.time.pinned_items:
        watcher.unpin(chosen)
    else:
        watcher.pin(chosen)
        context.shell.show_page("timeline")


def _can_pin(state: State) -> bool:
    return state.selection is not None and state.steps > 1


def _pin_text(state: State) -> str:
    pinned = state.selection in state.time.pinned_items
    return "Remove selection from timeline" if pinned else "Add selection to timeline"


def _ranks(state: State) -> bool:
    timeline = state.time.timeline
    return timeline is not None and timeline.rank_times is not None


RANKS = Toggle(lambda s: s.time.ranks, lambda c, ranks: c.session.watcher.show_ranks(ranks), on=True, off=False)


def _steps(state: State) -> bool:
    return state.steps > 1 and state.compared_pair is None


def _play(do: Callable[[Player], object], context: ActionContext) -> None:
    context.shell.show_page("timeline")
    do(context.player)


CURSOR_COMMANDS: tuple[tuple[str, str, str, str, Callable[[Player], object]], ...] = (
    ("play", "Play or pause", keys.PLAY, "Space", lambda player: player.toggle()),
    ("on", "Next step", keys.STEP_ON, "Right", lambda player: player.step(1)),
    ("back", "Previous step", keys.STEP_BACK, "Left", lambda player: player.step(-1)),
    ("first", "First step", keys.FIRST_STEP, "Home", lambda player: player.go_to(0)),
    ("last", "Last step", keys.LAST_STEP, "End", lambda player: player.go_to_last()),
)
"""Id, title, key anywhere, key in the timeline, and function."""

TIMING = (
    *(
        ActionSpec(
            f"time.{name}", text, "View/Timeline", partial(_play, do), key, _steps, f"Also {own} in the timeline",
        )
        for name, text, key, own, do in CURSOR_COMMANDS
    ),
    ActionSpec(
        "time.all", "Show all steps", "View/Timeline", lambda c: c.session.go_to(None), "",
        lambda s: s.cursor is not None, "Every view shows the whole job again",
    ),
    ActionSpec(
        "time.pin", "Add selection to timeline", "View/Timeline", _pin, "Shift+T",
        _can_pin, text=_pin_text, tip="Add a row with the utilisation of its links in each step",
    ),
    ActionSpec(
        "time.unpin", "Remove added rows from timeline", "View/Timeline", lambda c: c.session.watcher.unpin(), "",
        lambda s: bool(s.time.pinned_items), tip="Rows of links, nodes and other items",
    ),
    ActionSpec(
        "time.ranks", "Show a row for each rank", "View/Timeline", RANKS, "", _ranks,
        tip="Show which ranks wait for which; only with fair-share timing, where ranks proceed independently",
    ),
)  # fmt: skip
