"""The commands of the window that work on the stage, with their shortcuts there."""

import re
from dataclasses import replace

from app.actions.spec import ActionSpec
from app.model.state import State

MENUS = ("Edit", "View", "Select", "Tools", "Optimise", "")
"""Menus whose shortcuts work on the stage."""
DESK_ONLY = ("select.hottest", "select.none", "help.palette", "view.present-first")
"""Commands whose shortcuts have another meaning on the stage, or that open something the stage lacks."""
SHORTCUTS = {
    "tool.paint": "Shift+B",
    "view.log": "Shift+L",
    "paint.next": "",
    "paint.previous": "",
    "view.present": "F11",
}
"""Shortcuts of commands whose keys belong to the stage itself."""
PLAIN = re.compile(r"(Shift\+)?.")
"""A key that types a character."""


def stage_commands(specs: tuple[ActionSpec, ...]) -> list[ActionSpec]:
    """Return the commands of the stage; keys that type a character work only in scenes that allow editing."""
    there = [replace(spec, shortcut=SHORTCUTS.get(spec.id, spec.shortcut)) for spec in specs if works_there(spec)]
    return [_where_editable(spec) if is_typed(spec) else spec for spec in there]


def works_there(spec: ActionSpec) -> bool:
    """Return whether a command works on the stage."""
    in_menu = spec.menu.partition("/")[0] in MENUS or spec.id.startswith("view.")
    return in_menu and spec.id not in DESK_ONLY and not spec.id.startswith("file.")


def is_typed(spec: ActionSpec) -> bool:
    """Return whether a shortcut of a command types a character."""
    return any(PLAIN.fullmatch(keys) for keys in spec.shortcut.split("; "))


def editable(state: State) -> bool:
    """Return whether the scene on the stage allows editing; without a tour the state on screen does."""
    tour = state.tour
    scenes = tour.tour.scenes if tour.tour is not None else ()
    return tour.scene is None or tour.scene >= len(scenes) or scenes[tour.scene].editing


def _where_editable(spec: ActionSpec) -> ActionSpec:
    return replace(spec, enabled=lambda state: editable(state) and spec.enabled(state))
