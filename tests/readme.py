"""The commands of the README."""

import re
import shlex
from pathlib import Path

from core.network import Percs
from core.papers.percs_best import best_cell
from core.papers.percs_statements import D_LINKS
from core.text import figure

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SETUP = "make run", "make test"
SIZES = (16, 32, 64, 128)
"""Supernodes in the table of best mappings."""
SLOW = ("film",)
"""Subcommands that last more than ten seconds; `tests/checks` runs them."""


def best_mappings() -> list[str]:
    """Return the rows of the table of best mappings, as computed."""
    return [
        f"| {supernodes} supernodes | {' | '.join(_best(supernodes, n) for n in D_LINKS)} |" for supernodes in SIZES
    ]


def _best(supernodes: int, d_links: int) -> str:
    try:
        cell = best_cell("best", "", "", Percs(supernodes, d_links))
    except FileNotFoundError:
        return "–"
    assert cell.bounds is not None
    return f"{figure(cell.ours)} {'optimal' if cell.gap == 'optimal' else f'of {figure(cell.bounds[1])}'}"


def with_best_mappings() -> str:
    """Return the README with the rows of the best mappings as computed."""
    rows = {row.partition(" | ")[0]: row for row in best_mappings()}
    return "\n".join(rows.get(line.removesuffix(" |").partition(" | ")[0], line) for line in text().split("\n"))


def text() -> str:
    """Return the README."""
    return README.read_text(encoding="utf-8")


def blocks() -> list[str]:
    """Return the code blocks, without their indentation."""
    indented = re.findall(r"(?<=\n\n)(?: {4}.*\n)+", text())
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE) for block in indented]


def commands() -> list[str]:
    """Return the commands of the code blocks in their order; one may have several lines."""
    lines = "".join(blocks()).replace("\\\n", "\\\0").splitlines()
    return [line.replace("\0", "\n") for line in lines]


def inline_commands() -> list[str]:
    """Return the commands of the program in sentences."""
    return re.findall(r"`(fabriscope [^`]+)`", text())


def program_arguments(command: str) -> list[str] | None:
    """Return the arguments after the program's name, or None for another program."""
    name, *arguments = shlex.split(command.replace("\\\n", ""), comments=True)
    return arguments if name == "fabriscope" else None


def program_commands(slow: bool) -> list[str]:
    """Return the commands of the program, slow ones or all others."""
    calls = {command: program_arguments(command) for command in [*commands(), *inline_commands()]}
    return [command for command, given in calls.items() if given and (given[0] in SLOW) == slow]
