"""Rows of pinned items in the timeline, computed off the GUI thread when a view shows them."""

from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.evaluation import Evaluation, WatchedItems
from app.model.pointing import Item, exists
from app.model.subject import links_of_flow_or_item
from app.session.store import Store
from core.spec import Progress
from core.timing.link_activity import watched
from core.timing.round_steps import RoundSteps
from core.timing.timeline import Timeline
from core.timing.waiting import Times, all_begun

MAX_PINNED = 16
"""Maximum number of rows; a further row replaces the oldest."""


class Watcher:
    """Pins items with links, and computes their utilisation in each step and which ranks wait for which."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner("watched", self._on_found, sync=store.sync, parent=store)
        self._ranks = Runner("ranks", self._on_ranks_found, sync=store.sync, parent=store)
        self._asked: tuple[object, ...] = ()
        """The evaluations and items requested last, whether or not the rows are known."""

    def pin(self, item: Item) -> None:
        """Add a row for an item."""
        time = self._store.state.time
        if item not in time.pinned_items:
            self._store.show_time(replace(time, pinned_items=(*time.pinned_items, item)[-MAX_PINNED:]))

    def unpin(self, item: Item | None = None) -> None:
        """Remove the row of an item, or all rows for None."""
        time = self._store.state.time
        left = tuple(pinned for pinned in time.pinned_items if item not in (None, pinned))
        self._store.show_time(replace(time, pinned_items=left))

    def show_ranks(self, ranks: bool) -> None:
        """Show or hide a row for each rank."""
        self._store.show_time(replace(self._store.state.time, ranks=ranks))

    def look(self) -> None:
        """Compute the rows of the state on screen, unless already requested or while tasks are being moved."""
        self._look_at_ranks()
        state = self._store.state
        evaluations, times = (
            state.compared_pair or (state.evaluation,),
            (state.time.reference_timeline, state.time.timeline),
        )
        shown = tuple((evaluation, _rounds(evaluation, times)) for evaluation in evaluations)
        asked = (*shown, *state.time.pinned_items)
        if state.edit.gesture or asked == self._asked:
            return
        self._asked = asked
        if state.time.pinned_items:
            self._runner.request(partial(_watched, shown, state.time.pinned_items))
        else:
            self._runner.cancel()
            self._store.show_time(replace(self._store.state.time, watched=()))

    def _look_at_ranks(self) -> None:
        time = self._store.state.time
        timeline = time.timeline if time.ranks else None
        if timeline is None or timeline.rank_times is None:
            self._store.show_time(replace(time, begun=None))
        elif (time.begun is None or time.begun[0] is not timeline) and not self._ranks.busy:
            self._ranks.request(lambda progress: (timeline, all_begun(timeline, progress)))

    def _on_ranks_found(self, ranks: tuple[Timeline, Times]) -> None:
        self._store.show_time(replace(self._store.state.time, begun=ranks))

    def _on_found(self, items: tuple[WatchedItems, ...]) -> None:
        self._store.show_time(replace(self._store.state.time, watched=items))


def _rounds(evaluation: Evaluation, times: tuple[Timeline | None, ...]) -> RoundSteps | None:
    return next(
        (timeline.each_round for timeline in times if timeline is not None and timeline.case is evaluation.case), None
    )


def _watched(
    shown: tuple[tuple[Evaluation, RoundSteps | None], ...], pinned: tuple[Item, ...], progress: Progress
) -> tuple[WatchedItems, ...]:
    watched_items = []
    for evaluation, rounds in shown:
        items = tuple(item for item in pinned if exists(item, evaluation.case))
        links = [links_of_flow_or_item(item, evaluation) for item in items]
        watched_items.append(WatchedItems(evaluation, items, watched(evaluation.report, links, progress, rounds)))
    return tuple(watched_items)
