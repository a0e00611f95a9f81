"""Tours that come with the program."""

from importlib.resources import files

SUFFIX = ".fabriscope-tour.json"


def tour_names() -> tuple[str, ...]:
    """Return the names of all tours that come with the program, in the order of menus."""
    folder = files("resources") / "tours"
    found = (entry.name for entry in folder.iterdir()) if folder.is_dir() else ()
    return tuple(sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)))


def tour_content(name: str) -> bytes:
    """Return the content of the file of that tour."""
    return (files("resources") / "tours" / f"{name}{SUFFIX}").read_bytes()
