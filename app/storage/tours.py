"""Built-in tours."""

from importlib.resources import files
from pathlib import Path

import resources

SUFFIX = ".fabriscope-tour.json"
START = "start-here"
"""The tour of the window."""


def tour_names() -> tuple[str, ...]:
    """Return the names of all built-in tours in the order of menus, `START` first."""
    folder = files(resources) / "tours"
    names = (entry.name for entry in folder.iterdir()) if folder.is_dir() else ()
    tours = (name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))
    return tuple(sorted(tours, key=lambda name: (name != START, name)))


def tour_content(name: str) -> bytes:
    """Return the content of the file of a built-in tour."""
    return (files(resources) / "tours" / f"{name}{SUFFIX}").read_bytes()


def names_shipped_tour(path: Path) -> bool:
    """Return whether a path is the name of a built-in tour and not an existing file."""
    return not path.exists() and str(path) in tour_names()
