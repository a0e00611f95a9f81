"""Built-in scenarios."""

import re
from importlib.resources import as_file, files
from pathlib import Path

import resources
from core.files import SUFFIX, read_scenario
from core.load.scenario import Scenario

WORKED_EXAMPLE = "power775-halo"
WORDS = {
    "power775": "Power 775",
    "clex": "CLEX",
    "percs": "PERCS",
    "d": "D",
    "gpu": "GPU",
    "gpus": "GPUs",
    "infiniband": "InfiniBand",
    "shortcut": "ring with shortcuts",
} | {name: name.upper() for name in ("ft", "is", "mg", "lu", "cg", "nas", "nccl")}
"""Spellings of parts of names in titles."""
QUALIFIERS = re.compile(
    r" (?=[\d,]+ (?:nodes|GPUs|supernodes|D links?)|two jobs|alternating|compact|scattered|sequential|rounds"
    r"|largest|smallest)"
)
"""Matches the blank before a qualifier in a title; a comma is put there."""
GROUPS = {"power775-optimal-halo-": "Optimal halo mappings"}
"""Titles of groups of presets, by how their names begin."""


def preset_names() -> tuple[str, ...]:
    """Return the names of all presets, in alphabetical order, with numbers by value."""
    names = (entry.name for entry in (files(resources) / "presets").iterdir())
    return tuple(sorted((name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)), key=_by_value))


def _by_value(name: str) -> str:
    return re.sub(r"\d+", lambda match: match[0].zfill(6), name)


def preset_group(name: str) -> str:
    """Return the group of a preset, or empty."""
    return next((group for begin, group in GROUPS.items() if name.startswith(begin)), "")


def preset_title(name: str) -> str:
    """Return the title of a preset: ``Torus 8 × 8 × 8 halo``, ``Training, 1,024 GPUs``."""
    words = " ".join(WORDS.get(word, word) for word in name.replace("all-to-all", "all\0to\0all").split("-"))
    apart = re.sub(r"(?<=\d)x(?=\d)", " × ", words.replace("\0", "-"))
    counted = re.sub(r"\d{4,}", lambda match: f"{int(match[0]):,}", apart)
    qualified = QUALIFIERS.sub(", ", counted)
    return qualified[:1].upper() + qualified[1:]


def preset(name: str) -> Scenario:
    """Return the preset with a name."""
    with as_file(files(resources) / "presets" / f"{name}{SUFFIX}") as path:
        return read_scenario(Path(path))


def preset_text(name: str) -> bytes:
    """Return the content of the file of a preset."""
    return (files(resources) / "presets" / f"{name}{SUFFIX}").read_bytes()


def names_preset(path: Path) -> bool:
    """Return whether a path is the name of a preset and not an existing file."""
    return not path.exists() and str(path) in preset_names()


def worked_example() -> Scenario:
    """Return the scenario shown at the first start: a halo exchange on Power 775 with mod-colour mapping."""
    return preset(WORKED_EXAMPLE)
