"""Tutorials and other written pages: when the site is built, their commands run, and outputs and pictures are inserted.

A page is a Markdown file. Its blocks run in order, in a folder of their own: those marked ``sh`` as shell commands, in
which ``fabriscope`` is this program, and those marked ``python``. Their output follows them. A block with a title,
as in ``json title="halo.fabriscope.json"``, is first written into this file. The title of a picture says how it is
made: by a command (``fabriscope render ...``), or by the window (``window``, see `app.docs.screenshots`). A line such
as ``{readme: Start}`` stands for a section of the README, and ``{help: ...}`` for one of the reference.
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from shutil import copyfile, copytree

import app
import resources
from app.docs.page import FENCED, Page, by_heading, fenced, indented, picture
from app.docs.screenshots import take
from app.style.theme import THEMES

ROOT = Path(app.__file__).parents[1]
SOURCES = Path(str(files(resources))) / "docs"
TRACE = Path(str(files(resources))) / "traces" / "stencil"
BLOCK = re.compile(r"^```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INCLUDED = {"readme": ROOT / "README.md", "help": SOURCES.parent / "help.md"}
INCLUDE = re.compile(r"^\{(\w+): (.+)\}$", re.MULTILINE)
PICTURE = re.compile(r'!\[([^\]]*)\]\(([\w-]+)\.png "([^"]+)"\)')
LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?!\.\./|#)([\w.-]+)\)")
"""A link to a file of the tutorial's folder."""
QUOTED = re.compile(r"(\d[\d,]*\.?\d*)(?= (?:GB/s|ms|s|links|flows)\b| %|×)")
"""A quoted figure with its unit, which the program must have printed or shown."""
OUTPUT = 'text title="Output"'
NUMBER = re.compile(r"\d[\d,]*\.?\d*")
SECONDS = 300
"""Time limit of a block."""


class TutorialError(Exception):
    """A command of a tutorial fails, or the program does not print a quoted figure."""


def written_pages() -> list[str]:
    """Return the paths of the written pages, such as ``tutorials/design.md``, in their order."""
    return sorted(path.relative_to(SOURCES).as_posix() for path in SOURCES.rglob("*.md"))


def source(path: str) -> str:
    """Return the text of a written page, with the sections that it includes."""
    text = (SOURCES / path).read_text(encoding="utf-8")
    return INCLUDE.sub(lambda match: _section(match[1], match[2]), text)


def _section(name: str, title: str) -> str:
    return indented(dict(by_heading(INCLUDED[name].read_text(encoding="utf-8")))[title])


def written_page(path: str, work: Path, out: Path) -> Page:
    """Return a written page with outputs; `work` is a folder for its files, `out` for pictures and linked files.

    Raises TutorialError: if a command fails, or a quoted figure is not printed or shown.
    """
    copytree(TRACE, work / TRACE.name)
    given, printed = source(path), list[str]()
    text = "".join(_part(part, work, out, printed) for part in FENCED.split(given))
    check_figures(path, given, printed)
    for file in LINK.findall(text):
        if (work / file).exists():
            copyfile(work / file, out / file)
    return Page(path, text.partition("\n")[0].removeprefix("# "), text)


def _part(part: str, work: Path, out: Path, printed: list[str]) -> str:
    block = BLOCK.fullmatch(part)
    if block is None:
        return PICTURE.sub(lambda match: _drawn(match[1], match[2], match[3], work, out, printed), part)
    language, title, text = block.groups()
    if title is not None:
        (work / title).write_text(text, encoding="utf-8")
        printed.append(text)
    elif language in RUNNERS:
        output = run(language, text, work)
        printed.append(output)
        return f"{part}\n\n{fenced(output, OUTPUT)}" if output else part
    return part


def run(language: str, text: str, work: Path) -> str:
    """Run a block in a folder, and return its output.

    Raises TutorialError: if it fails.
    """
    paths = os.pathsep.join((str(ROOT), str(ROOT / "app")))  # the second has the package `fabriscope`
    environment = os.environ | {"PYTHONPATH": paths, "COLUMNS": "100", "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        RUNNERS[language](text), cwd=work, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode != 0:
        raise TutorialError(f"{text}\n{done.stderr or done.stdout}")
    return done.stdout


def _shell(text: str) -> list[str]:
    program = shlex.join([sys.executable, str(ROOT / "main.py")])
    return ["sh", "-ue", "-c", f'fabriscope() {{ {program} "$@"; }}\n{text}']


def _python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


RUNNERS = {"sh": _shell, "python": _python}


def _drawn(alt: str, name: str, how: str, work: Path, out: Path, printed: list[str]) -> str:
    if how == "window":
        printed.append(take(name, work, out))
    else:
        for theme in THEMES:
            run("sh", f"{how} --theme {theme} --out {shlex.quote(str(out / f'{name}-{theme}.png'))}", work)
    return picture(name, alt)


def check_figures(path: str, text: str, printed: list[str]) -> None:
    """Check that every figure that the prose of a page quotes was printed or shown, rounded as quoted.

    Raises TutorialError: naming the first that was not.
    """
    shown = [float(number.replace(",", "")) for output in printed for number in NUMBER.findall(output)]
    for figure in quoted(text):
        digits = len(figure.partition(".")[2])
        if not any(f"{value:.{digits}f}" == figure.replace(",", "") for value in shown):
            raise TutorialError(f"{path}: quotes {figure}, which no command prints and no picture shows")


def quoted(text: str) -> Iterator[str]:
    """Yield the figures that the prose of a page quotes."""
    for part in FENCED.split(text):
        if BLOCK.fullmatch(part) is None:
            yield from QUOTED.findall(PICTURE.sub("", part))
