"""The open tour: scenes are added, moved, renamed and deleted, with undo."""

from dataclasses import replace
from pathlib import Path

import msgspec

from app.model.scenes import Scene, Tour
from app.model.state import TOUR
from app.model.state_groups import TourState
from app.session.scenes import SceneEvaluations
from app.session.store import Store
from app.tour.tour_file import checked_tour
from app.wording.errors import error_text
from core.spec import SpecError

MAX_UNDO = 1000
"""Maximum undo steps; each is an entire tour, but tours share their scenes."""


class Tours:
    """The part of a session that holds the open tour."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._undone: list[tuple[str, Tour]] = []
        self._done: list[tuple[str, Tour]] = []
        self._scenes: SceneEvaluations | None = None

    @property
    def scenes(self) -> SceneEvaluations | None:
        """Return the scenes with their evaluations so far, or None without an open tour."""
        return self._scenes

    def open(self, tour: Tour, path: Path | None, *, saved: Tour | None) -> None:
        """Open a tour whose file is `path`, with the content `saved`."""
        self._done.clear()
        self._undone.clear()
        before = self._store.state.tour
        self._show(replace(before, tour=tour, tour_path=path, tour_saved=saved, scene=None, scene_error=None))

    def close(self) -> None:
        """Close the tour."""
        self._done.clear()
        self._undone.clear()
        self._scenes = None
        before = self._store.state.tour
        closed = replace(before, tour=None, tour_path=None, tour_saved=None, scene=None, scene_error=None)
        self._store.show_tour(self._named(closed))

    def edit(self, tour: Tour, name: str, scene: int | None = None) -> None:
        """Replace the tour, as one undo step called `name`; `scene` is then the scene on screen."""
        old = self._store.state.tour.tour
        if tour == old:
            return
        if old is not None:
            self._done.append((name, old))
            del self._done[:-MAX_UNDO]
        self._undone.clear()
        self._show(replace(self._store.state.tour, tour=tour, scene=scene))

    def insert(self, number: int, scene: Scene) -> None:
        """Insert a scene, which is on screen, at a position."""
        scenes = self._all
        self._change((*scenes[:number], scene, *scenes[number:]), f"Add scene {number + 1}", number)

    def replace(self, number: int, scene: Scene, name: str) -> None:
        """Replace a scene, as a step called `name`."""
        scenes = self._all
        self._change((*scenes[:number], scene, *scenes[number + 1 :]), name, self._store.state.tour.scene)

    def duplicate(self, number: int) -> None:
        """Insert a copy of a scene after it; ids are unique, so the copy has none."""
        scenes, shown = self._all, self._store.state.tour.scene
        copy = msgspec.structs.replace(scenes[number], id=None)
        place = shown + (shown > number) if shown is not None else None
        self._change((*scenes[: number + 1], copy, *scenes[number + 1 :]), f"Duplicate scene {number + 1}", place)

    def delete(self, numbers: set[int]) -> None:
        """Delete scenes; the last scene of a tour cannot be deleted."""
        kept = [number for number in range(len(self._all)) if number not in numbers]
        refusal = self._needed(numbers, kept)
        if refusal:
            self._store.report_error(SpecError(TOUR, refusal))
        elif kept and len(kept) < len(self._all):
            name = f"Delete scene {min(numbers) + 1}" if len(numbers) == 1 else f"Delete {len(numbers)} scenes"
            shown = self._store.state.tour.scene
            self._change(tuple(self._all[k] for k in kept), name, kept.index(shown) if shown in kept else None)

    def _needed(self, numbers: set[int], kept: list[int]) -> str:
        """Return an error if a remaining scene compares with one of these scenes or uses its scale; empty if none."""
        ids = {self._all[number].id: number for number in numbers if number < len(self._all)}
        for number in kept:
            scene = self._all[number]
            for name, use in ((scene.against, "is compared with"), (scene.scale.frozen, "uses the colour scale of")):
                if isinstance(name, str) and name in ids:
                    return f"scene {number + 1} {use} scene {ids[name] + 1}; delete or change scene {number + 1} first"
        return ""

    def move(self, number: int, to: int) -> None:
        """Move a scene to another position."""
        scenes = list(self._all)
        if number != to and 0 <= number < len(scenes) and 0 <= to < len(scenes):
            shown = self._store.state.tour.scene
            order = list(range(len(scenes)))
            order.insert(to, order.pop(number))
            place = order.index(shown) if shown is not None else None
            self._change(tuple(scenes[k] for k in order), f"Move scene {number + 1}", place)

    def undo(self) -> None:
        """Undo the last change of the tour."""
        self._travel(self._done, self._undone)

    def redo(self) -> None:
        """Redo the last undone change."""
        self._travel(self._undone, self._done)

    def saved(self, path: Path) -> None:
        """Record that the tour was saved to a file."""
        tour = self._store.state.tour
        self._show(replace(tour, tour_path=path, tour_saved=tour.tour))

    def mark_shown(self, scene: int) -> None:
        """Record that this scene is on screen."""
        self._store.show_tour(replace(self._store.state.tour, scene=scene))

    @property
    def _all(self) -> tuple[Scene, ...]:
        tour = self._store.state.tour.tour
        return tour.scenes if tour is not None else ()

    def _change(self, scenes: tuple[Scene, ...], name: str, shown: int | None) -> None:
        tour = self._store.state.tour.tour
        if tour is None:
            return
        try:
            checked = checked_tour(msgspec.structs.replace(tour, scenes=scenes))
        except SpecError as error:
            self._store.report_error(SpecError(TOUR, f"this change of the tour is not possible: {error_text(error)}"))
            return
        self._store.clear_transient_error()
        self.edit(checked, name, shown)

    def _travel(self, source: list[tuple[str, Tour]], target: list[tuple[str, Tour]]) -> None:
        now = self._store.state.tour.tour
        if source and now is not None:
            name, tour = source.pop()
            target.append((name, now))
            self._show(replace(self._store.state.tour, tour=tour, scene=self._still_shown(now, tour)))

    def _still_shown(self, now: Tour, tour: Tour) -> int | None:
        """Return the number, in another tour, of the scene on screen, changed or unchanged, or None."""
        shown = self._store.state.tour.scene
        if shown is None or shown >= len(now.scenes):
            return None
        others = [scenes[:shown] + scenes[shown + 1 :] for scenes in (now.scenes, tour.scenes)]
        if others[0] == others[1]:
            return shown
        scene = now.scenes[shown]
        return tour.scenes.index(scene) if scene in tour.scenes else None

    def _show(self, state: TourState) -> None:
        before = self._store.state.tour.tour
        if state.tour is not None and before is not None and state.scene_asked is not None:
            state = replace(state, scene_asked=_followed(state.scene_asked, before, state.tour))
        if state.tour is not None:
            path = state.tour_path
            scenes = SceneEvaluations(state.tour, path.parent if path is not None else None)
            self._scenes = scenes.taking_from(self._scenes) if self._scenes is not None else scenes
        self._store.show_tour(self._named(state))

    def _named(self, state: TourState) -> TourState:
        undo, redo = (steps[-1][0] if steps else "" for steps in (self._done, self._undone))
        return replace(state, tour_undo=undo, tour_redo=redo)


def _followed(number: int, before: Tour, after: Tour) -> int:
    """Return the new number of a scene that may have moved, or the same number if the scene was replaced."""
    scene = before.scenes[number] if number < len(before.scenes) else None
    place = next((place for place, other in enumerate(after.scenes) if other is scene), number)
    return min(place, len(after.scenes) - 1)
