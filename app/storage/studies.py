"""Built-in studies: sweeps that reproduce tables of the papers."""

from importlib.resources import as_file, files
from pathlib import Path

import resources
from core.sweep.study import SUFFIX, Study, read_study


def study_names() -> tuple[str, ...]:
    """Return the names of all built-in studies, in alphabetical order."""
    names = (entry.name for entry in (files(resources) / "studies").iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def study_title(name: str) -> str:
    """Return the title of a built-in study: ``Percs halo direct``."""
    return name.replace("-", " ").capitalize()


def study_path(name: str) -> Path:
    """Return the file of a built-in study."""
    return Path(str(files(resources) / "studies" / f"{name}{SUFFIX}"))


def builtin_study(name: str) -> Study:
    """Return the built-in study with a name."""
    with as_file(files(resources) / "studies" / f"{name}{SUFFIX}") as path:
        return read_study(path)
