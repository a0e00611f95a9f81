"""Scenarios that come with the program."""

import re
from importlib.resources import as_file, files
from pathlib import Path

from core.files import SUFFIX, read_scenario
from core.load.scenario import Scenario

WORKED_EXAMPLE = "power775-halo"
WORDS = {
    "power775": "Power 775",
    "clex": "CLEX",
    "percs": "PERCS",
    "gpus": "GPUs",
    "shortcut": "ring with shortcuts",
} | {name: name.upper() for name in ("ft", "is", "mg", "lu", "cg", "nas")}
"""Spellings, in titles, of words of names."""
QUALIFIERS = re.compile(r" (?=[\d,]+ (?:nodes|GPUs)|two jobs|compact|scattered|sequential|rounds|largest|smallest)")
"""Matches the blank, in titles, before a qualifier, which follows a comma."""


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, in alphabetical order."""
    names = (entry.name for entry in (files("resources") / "presets").iterdir())
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def preset_title(name: str) -> str:
    """Return the title of a preset: ``Torus 8 × 8 × 8 halo``, ``Training, 1,024 GPUs``."""
    words = " ".join(WORDS.get(word, word) for word in name.replace("all-to-all", "all\0to\0all").split("-"))
    apart = re.sub(r"(?<=\d)x(?=\d)", " × ", words.replace("\0", "-"))
    counted = re.sub(r"\d{4,}", lambda match: f"{int(match[0]):,}", apart)
    qualified = QUALIFIERS.sub(", ", counted)
    return qualified[:1].upper() + qualified[1:]


def preset(name: str) -> Scenario:
    """Return the preset of that name."""
    with as_file(files("resources") / "presets" / f"{name}{SUFFIX}") as path:
        return read_scenario(Path(path))


def preset_text(name: str) -> bytes:
    """Return the content of the file of that preset."""
    return (files("resources") / "presets" / f"{name}{SUFFIX}").read_bytes()


def names_preset(path: Path) -> bool:
    """Return whether a path names a preset, and no existing file."""
    return not path.exists() and str(path) in preset_names()


def worked_example() -> Scenario:
    """Return the scenario of the first start: Power 775 with 32 supernodes, Halo, mod-colour."""
    return preset(WORKED_EXAMPLE)
