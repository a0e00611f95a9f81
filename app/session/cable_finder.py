"""The part of a session that searches for the cables whose addition helps most, off the GUI thread."""

from dataclasses import replace

from app.background.latest_wins import Runner
from app.model.cables_to_add import CableSearch, CableState
from app.model.changes import COLOURS, ChangeSet
from app.model.computation import Computation, Kind
from app.session.store import Store
from core.load.evaluate import LoadReport
from core.spec import SpecError


class CableFinder:
    """Searches for one cable after the other; each is shown at once, and another scenario cancels the search."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner(
            "cables", self._on_continued, self._on_refused, self._on_progressed, sync=store.sync, parent=store
        )
        self._wanted = 0
        """Number of cables of the search under way."""
        self._asked: LoadReport | None = None
        """The loads of the scenario for which cables were requested last."""
        self._search: CableSearch | None = None
        """The search under way."""
        store.changed.connect(self._on_store_changed)

    def choose(self, count: int) -> None:
        """Choose the number of cables to search for next."""
        self._show(replace(self._cables, count=count))

    def start(self) -> None:
        """Search for the chosen number of cables, in addition to all cables of the scenario on screen."""
        self._wanted, self._asked = self._cables.count, self._store.state.evaluation.report
        self._show(replace(self._cables, progress=0.0, refused=None))
        self._continue(CableSearch.begun(self._asked))

    def cancel(self) -> None:
        """Stop the search; the cables so far stay."""
        self._runner.cancel()
        self._end(replace(self._cables, progress=None))

    def point(self, row: int | None) -> None:
        """Draw the cables up to a row of the last search on the machine, or None for none."""
        state = self._store.state
        if row != state.what_if.pointed:
            self._store.show(replace(state, what_if=replace(state.what_if, pointed=row)))

    @property
    def _cables(self) -> CableState:
        return self._store.state.what_if.cables

    def _show(self, cables: CableState) -> None:
        state = self._store.state
        self._store.show(replace(state, what_if=replace(state.what_if, cables=cables)))

    def _continue(self, search: CableSearch) -> None:
        self._search = search
        self._runner.request(search.continued)

    def _on_store_changed(self, changes: ChangeSet) -> None:
        if not changes & (COLOURS | ChangeSet.TOOL) or self._asked is self._store.state.evaluation.report:
            return
        if self._cables.progress is not None:
            self.cancel()
        elif self._cables.refused is not None:
            self._show(replace(self._cables, refused=None))

    def _on_continued(self, search: CableSearch) -> None:
        self.point(None)
        done = len(search.rows) / self._wanted
        if search.exhausted or done >= 1:
            self._end(replace(self._cables, search=search, progress=None))
        else:
            self._show(replace(self._cables, search=search, progress=done))
            self._continue(search)

    def _on_refused(self, error: SpecError) -> None:
        self._end(replace(self._cables, refused=error, progress=None))

    def _end(self, cables: CableState) -> None:
        self._search = None
        self._show(cables)
        self._store.end_computation(Kind.CABLES)

    def _on_progressed(self, fraction: float) -> None:
        before = 0 if self._search is None else len(self._search.rows)
        done = (before + fraction) / self._wanted
        self._show(replace(self._cables, progress=done))
        title = f"Searching for cable {before + 1} of {self._wanted} to add"
        self._store.show_computation(Computation(Kind.CABLES, title, done))
