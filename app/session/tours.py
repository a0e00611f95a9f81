"""The tour that is open: its scenes are added, moved, renamed and deleted, and all of that can be undone."""

from pathlib import Path

from app.model.changes import ChangeSet
from app.model.scenes import Tour
from app.session.scenes import SceneEvaluations
from app.session.store import Store

STEPS = 1000
"""Changes of a tour that are kept to be undone: whole tours, which share their scenes."""


class Tours:
    """The part of a session that holds a tour."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._undone: list[tuple[str, Tour]] = []
        self._done: list[tuple[str, Tour]] = []
        self._scenes: SceneEvaluations | None = None

    @property
    def scenes(self) -> SceneEvaluations | None:
        """Return the scenes as far as they are evaluated; None: no tour is open."""
        return self._scenes

    def open(self, tour: Tour, path: Path | None, *, saved: Tour | None) -> None:
        """Take up a tour that belongs into `path`, in which `saved` stands."""
        self._done.clear()
        self._undone.clear()
        self._show(tour, tour_path=path, tour_saved=saved, scene=None, scene_error=None)

    def close(self) -> None:
        """Put the tour away."""
        self._done.clear()
        self._undone.clear()
        self._scenes = None
        self._store.show(
            ChangeSet.TOUR, tour=None, tour_path=None, tour_saved=None, scene=None, scene_error=None, **self._names()
        )

    def edit(self, tour: Tour, name: str, scene: int | None = None) -> None:
        """Replace the tour, as one step called `name`; `scene` is then the one on screen."""
        old = self._store.state.tour.tour
        if tour == old:
            return
        if old is not None:
            self._done.append((name, old))
            del self._done[:-STEPS]
        self._undone.clear()
        self._show(tour, scene=scene)

    def undo(self) -> None:
        """Undo the last change of the tour."""
        self._travel(self._done, self._undone)

    def redo(self) -> None:
        """Do it again."""
        self._travel(self._undone, self._done)

    def saved(self, path: Path) -> None:
        """Note that the tour stands in a file now."""
        self._store.show(ChangeSet.TOUR, tour_path=path, tour_saved=self._store.state.tour.tour)

    def _travel(self, source: list[tuple[str, Tour]], target: list[tuple[str, Tour]]) -> None:
        now = self._store.state.tour.tour
        if source and now is not None:
            name, tour = source.pop()
            target.append((name, now))
            self._show(tour, scene=None)

    def _show(self, tour: Tour, **values: object) -> None:
        path = values.get("tour_path", self._store.state.tour.tour_path)
        found = SceneEvaluations(tour, path.parent if isinstance(path, Path) else None)
        self._scenes = found.taking_from(self._scenes) if self._scenes is not None else found
        self._store.show(ChangeSet.TOUR, tour=tour, **values, **self._names())

    def _names(self) -> dict[str, str]:
        return {
            "tour_undo": self._done[-1][0] if self._done else "",
            "tour_redo": self._undone[-1][0] if self._undone else "",
        }
