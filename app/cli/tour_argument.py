"""The tour argument of a command: a file, or the name of a built-in tour."""

from pathlib import Path

from app.cli.scenario_argument import is_file
from app.model.scenes import Tour
from app.storage.tours import SUFFIX, tour_content, tour_names
from app.tour.tour_file import decode_tour, read_tour
from core.files.atomic import shown
from core.spec import SpecError
from core.text import known_names

TOUR_HELP = f"tour file ({SUFFIX}), name of a built-in tour, or - for standard input"


def tour_named(path: Path) -> Tour:
    """Return the tour in a file, or the built-in tour with that name.

    Raises SpecError: naming the error.
    """
    if is_file(path):
        return read_tour(path)
    name, names = str(path), tour_names()
    if name not in names:
        raise SpecError("FILE", f"no such file or tour: {shown(name)!r}; {known_names(name, names, 'tours')}")
    return decode_tour(tour_content(name))


def names_tour(path: Path) -> bool:
    """Return whether a path is meant as a tour: a tour file, or the name of a built-in tour."""
    return path.name.endswith(SUFFIX) or (not is_file(path) and str(path) in tour_names())
