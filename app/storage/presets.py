"""Scenarios that come with the program."""

from importlib.resources import as_file, files
from pathlib import Path

from core.files import SUFFIX, read_scenario
from core.load.scenario import Scenario

WORKED_EXAMPLE = "power775-halo"


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, in alphabetical order."""
    found = (entry.name for entry in (files("resources") / "presets").iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)))


def preset(name: str) -> Scenario:
    """Return the preset of that name."""
    with as_file(files("resources") / "presets" / f"{name}{SUFFIX}") as path:
        return read_scenario(Path(path))


def worked_example() -> Scenario:
    """Return what the first start shows: Power 775 with 32 supernodes, Halo, mod-colour."""
    return preset(WORKED_EXAMPLE)
