"""The tour argument of a command: a file, or the name of one that comes with the program."""

from pathlib import Path

from app.cli.scenario_argument import is_file
from app.model.scenes import Tour
from app.storage.tours import SUFFIX, tour_content, tour_names
from app.tour.tour_file import decode_tour, read_tour
from core.files.atomic import shown
from core.spec import SpecError
from core.text import known_names

TOUR_HELP = f"tour file ({SUFFIX}), - (standard input), or the name of one that comes with the program"


def tour_named(path: Path) -> Tour:
    """Return the tour of a file, or the one of that name where there is no such file.

    Raises SpecError: naming what is wrong.
    """
    if is_file(path):
        return read_tour(path)
    name, known = str(path), tour_names()
    if name not in known:
        raise SpecError("FILE", f"{shown(name)!r} is no file and no tour; {known_names(name, known)}")
    return decode_tour(tour_content(name))


def names_tour(path: Path) -> bool:
    """Return whether a path is meant as a tour: a tour file, or the name of one."""
    return path.name.endswith(SUFFIX) or (not is_file(path) and str(path) in tour_names())
