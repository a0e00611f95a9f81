"""The part of a session that suggests helpful single swaps, off the GUI thread, and applies them."""

from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.session.editing import Editing
from app.session.store import Store
from core.load.evaluate import LoadReport
from core.load.swap_suggestions import Suggestions, SwapSuggestion, suggest_swaps


class SwapAdvisor:
    """Searches for swaps on request; a search is cancelled as soon as loads change."""

    def __init__(self, store: Store, editing: Editing) -> None:
        self._store, self._editing = store, editing
        self._runner = Runner("advice", self._on_found, progressed=self._on_progressed, sync=store.sync, parent=store)
        self._searched: LoadReport | None = None
        """The report searched last."""
        store.changed.connect(self._on_store_changed)

    @property
    def current(self) -> Suggestions | None:
        """Return the suggestions for the loads on screen, or None if not known yet."""
        suggestions, report = self._store.state.suggestions, self._store.state.evaluation.report
        return suggestions if suggestions is not None and suggestions.report is report else None

    def search(self) -> None:
        """Search for swaps that help the state on screen, unless a gesture is active."""
        report = self._searched = self._store.state.evaluation.report
        if not self._editing.active:
            self._on_progressed(0.0)
            self._runner.request(partial(suggest_swaps, report))

    def cancel(self) -> None:
        """Stop searching."""
        if self._runner.busy:
            self._runner.cancel()
            self._on_progressed(None)

    def apply(self, advised: SwapSuggestion) -> bool:
        """Apply a swap as one step of the history; return False, without effect, if it was found for another state."""
        self._editing.finish_for_other()
        if self.current is None or advised not in self.current.best:
            return False
        self._editing.apply(advised.edit, advised.name)
        return True

    def _on_store_changed(self, changes: ChangeSet) -> None:
        # Suggestions are for entire jobs: another step shown leaves them valid.
        another = changes & ChangeSet.LOADS and self._store.state.evaluation.report is not self._searched
        if another or self._store.state.edit.gesture:
            self.cancel()

    def _on_found(self, suggestions: Suggestions) -> None:
        self._store.show(replace(self._store.state, suggestions=suggestions, suggestion_progress=None))

    def _on_progressed(self, fraction: float | None) -> None:
        self._store.show(replace(self._store.state, suggestion_progress=fraction))
