"""Habits of the source that are being left: what is listed here may only get less."""

import ast
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("app", "core")
SMALL = 60
"""Lines from which on a module with a single importer needs no reason."""
FRAGMENTS = frozenset(
    [
        "app.cli.compiling",
        "app.panels.studies.estimate",
        "app.session.gesture",
        "app.stage.keys_card",
        "app.stage.pointer",
        "app.views.machine.arrow_keys",
        "app.views.machine.readout",
        "app.views.machine.scene_image",
        "app.window.file_drops",
        "core.kernels.call_types",
        "core.network.families.clex_counts",
        "core.network.formats.networkx_graph",
    ]
)
"""Modules under 60 lines that one module imports, in its own folder: they would rather be part of it."""
EMPTY_NAMES = {"found": 110, "one": 98, "known": 22, "whole": 13, "said": 43, "theirs": 3}
"""How often variables have a name that says nothing of what they hold."""


@pytest.fixture(scope="module")
def sources():
    """The syntax trees of all modules, by path."""
    paths = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {path: ast.parse(path.read_text()) for path in paths}


def fragments():
    """Return the small modules that one module of the same folder imports."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    small = set()
    for module in graph.modules:
        path = ROOT / (module.replace(".", "/") + ".py")
        importers = graph.find_modules_that_directly_import(module)
        if not path.exists() or len(importers) != 1 or len(path.read_text().splitlines()) >= SMALL:
            continue
        if next(iter(importers)).rpartition(".")[0] == module.rpartition(".")[0]:
            small.add(module)
    return small


def test_no_further_module_is_a_fragment_of_another():
    assert fragments() == FRAGMENTS, "merge what is new into its importer; strike out what is gone"


def test_no_further_variable_has_an_empty_name(sources):
    counts = dict.fromkeys(EMPTY_NAMES, 0)
    for tree in sources.values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in counts:
                counts[node.id] += 1
    more = {name: count for name, count in counts.items() if count > EMPTY_NAMES[name]}
    assert not more, "name what it holds, by the field's term"
