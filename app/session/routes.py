"""The part of a session that analyses the routing, and finds the path between two nodes, off the GUI thread."""

from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.routes import MAX_PAIRS, Drawn, Ends, RouteAnalysis, RoutesState, analyse
from app.model.routes_shown import analysis_of, node_paths_of
from app.session.store import Store
from core.load.routes.node_paths import NodePaths, node_paths
from core.routing.router import Router


class RouteAnalyst:
    """Analyses the routing on screen when asked to; an analysis is cancelled as soon as another routing is shown."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner(
            "routes", self._on_analysed, progressed=self._on_progressed, sync=store.sync, parent=store
        )
        self._paths = Runner("node paths", self._on_found, sync=store.sync, parent=store)
        self._asked: Router | None = None
        """The router analysed last."""
        self._cancelled: Router | None = None
        """The router whose analysis the user has cancelled last."""
        store.changed.connect(self._on_store_changed)

    @property
    def waits(self) -> bool:
        """Return whether the routing is analysed only if the user asks for it: it is large, or was cancelled."""
        nodes = self._router.network.nodes
        return self._cancelled is self._router or (self._router.single_path and nodes * (nodes - 1) > MAX_PAIRS)

    def look(self) -> None:
        """Analyse the routing on screen, unless this is done, under way, or takes long."""
        if analysis_of(self._store.state) is None and self._routes.progress is None and not self.waits:
            self.analyse()

    def analyse(self) -> None:
        """Analyse the routing on screen."""
        self._asked = router = self._router
        self._on_progressed(0.0)
        self._runner.request(partial(analyse, router))

    def cancel(self) -> None:
        """Stop the analysis until the user asks for it."""
        self._cancelled = self._router
        self._stop()

    def _stop(self) -> None:
        self._runner.cancel()
        self._on_progressed(None)

    def draw(self, drawn: Drawn) -> None:
        """Draw a path or some links on the machine, which may need an analysis first."""
        self._show(replace(self._routes, drawn=drawn))
        if drawn in (Drawn.CYCLE, Drawn.UNUSED):
            self.look()

    def begin_path(self, node: int | None) -> None:
        """Draw the path from a node to the end chosen."""
        self.find_path((node, self._routes.ends[1]))

    def end_path(self, node: int | None) -> None:
        """Draw the path from the beginning chosen to a node."""
        self.find_path((self._routes.ends[0], node))

    def find_path(self, ends: Ends) -> None:
        """Draw the path between two nodes."""
        self._show(replace(self._routes, ends=ends, drawn=Drawn.PATH))
        self._find()

    @property
    def _router(self) -> Router:
        return self._store.state.evaluation.case.router

    @property
    def _routes(self) -> RoutesState:
        return self._store.state.routes

    def _show(self, routes: RoutesState) -> None:
        self._store.show(replace(self._store.state, routes=routes))

    def _find(self) -> None:
        source, destination = self._routes.ends
        if source is None or destination is None:
            self._paths.cancel()
        elif node_paths_of(self._store.state) is None:
            self._paths.request(partial(node_paths, self._router, source, destination))

    def _on_store_changed(self, changes: ChangeSet) -> None:
        if not changes & (ChangeSet.LOADS | ChangeSet.TOPOLOGY):
            return
        if self._asked is not self._router and self._routes.progress is not None:
            self._stop()
        if self._routes.drawn in (Drawn.CYCLE, Drawn.UNUSED):
            self.look()
        self._find()

    def _on_analysed(self, analysis: RouteAnalysis) -> None:
        self._show(replace(self._routes, analysis=analysis, progress=None))

    def _on_progressed(self, fraction: float | None) -> None:
        self._show(replace(self._routes, progress=fraction))

    def _on_found(self, paths: NodePaths) -> None:
        self._show(replace(self._routes, paths=paths))
