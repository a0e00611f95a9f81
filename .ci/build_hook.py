"""Builds the wheel: moves the packages app, core and resources into the one package `fabriscope`.

A user's own folder `core` then hides nothing. In the source tree, and in an editable installation, the packages stay
where they are.
"""

import ast
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = {"app.fabriscope": "fabriscope", **{name: f"fabriscope.{name}" for name in ("app", "core", "resources")}}
"""Installed name of each package of the source tree. Of two that match, the first counts."""
OWN = re.compile("|".join(rf"{re.escape(name)}(?![\w-])" for name in PACKAGES))
MODULE = re.compile(rf"(?:{OWN.pattern})(?:\.\w+)+(?::\w+)?|app\.fabriscope")
"""A string that names a module or an attribute of one, such as ``app.views.machine.view:MachineView``."""
START = re.compile(rf"(?:{OWN.pattern})\.")
"""Start of a formatted string that names a module."""


class CustomBuildHook(BuildHookInterface):  # type: ignore[misc]  # hatchling is not installed with the program
    """Called by hatchling before and after it builds a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the files of the wheel under their installed names."""
        root = Path(self.root)
        self.built = Path(tempfile.mkdtemp(prefix="fabriscope-wheel-"))
        if version == "editable":
            build_data["force_include_editable"][str(root / "app" / "fabriscope")] = "fabriscope"
        else:
            relocate_packages(root, self.built)
            build_data["force_include"][str(self.built)] = "/"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what `initialize` made."""
        shutil.rmtree(self.built, ignore_errors=True)


def relocate_packages(root: Path, target: Path) -> None:
    """Copy the packages of the source tree to `target`, under their installed names."""
    left_out = shutil.ignore_patterns("__pycache__", "*.py[co]", "docs")  # the sources of the documentation
    for name, installed in reversed(PACKAGES.items()):
        source, copy = root.joinpath(*name.split(".")), target.joinpath(*installed.split("."))
        shutil.copytree(source, copy, ignore=left_out, dirs_exist_ok=True)
    shutil.rmtree(target / "fabriscope" / "app" / "fabriscope")
    relocate_sources(target)


def relocate_sources(folder: Path) -> None:
    """Rename the packages in all Python files of a folder."""
    for path in folder.rglob("*.py"):
        path.write_text(relocated(path.read_text(encoding="utf-8")), encoding="utf-8")


def relocated(source: str) -> str:
    """Return Python source with the packages renamed in imports, and in strings that name modules."""
    data, lines = source.encode(), [0]
    for line in data.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))

    def span(node: Any) -> slice:
        return slice(lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset)

    changes = [(span(node), change) for node, change in _changes(ast.parse(source))]
    for where, change in sorted(changes, key=lambda item: item[0].start, reverse=True):
        data = data[: where.start] + change(data[where].decode()).encode() + data[where.stop :]
    return data.decode()


def _changes(tree: ast.AST) -> Iterator[tuple[ast.AST, Callable[[str], str]]]:
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inside = {id(value) for node in formatted for value in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(level=0, module=str(name)) if OWN.match(name):
                yield node, _renamed
            case ast.Import(names=names):
                yield from ((alias, _bound) for alias in names if OWN.match(alias.name))
            case ast.Constant(value=str(text)) if MODULE.fullmatch(text) and id(node) not in inside:
                yield node, _renamed
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) if START.match(text):
                yield node, _renamed


def _renamed(code: str) -> str:
    """Return code with the first name of a package replaced."""
    return re.sub(rf"(?<![\w.])(?:{OWN.pattern})", lambda found: PACKAGES[found[0]], code, count=1)


def _bound(imported: str) -> str:
    """Return what follows `import`, so that it binds the same name as before."""
    name, _, other = imported.partition(" as ")
    if other:
        return f"{_renamed(name)} as {other}"
    top = name.partition(".")[0]
    return f"{PACKAGES[top]} as {top}" if name == top else f"{_renamed(name)}, {PACKAGES[top]} as {top}"
