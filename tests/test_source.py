"""Habits that the source is losing: the lists here may only become shorter."""

import ast
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("app", "core")
SMALL = 60
"""Modules with a single importer must have at least this number of lines."""
FRAGMENTS = frozenset(
    [
        "app.cli.compiling",
        "app.panels.studies.estimate",
        "app.session.gesture",
        "app.stage.pointer",
        "app.views.machine.arrow_keys",
        "app.views.machine.scene_image",
        "core.kernels.call_types",
        "core.network.families.clex_counts",
    ]
)
"""Modules under 60 lines that one module imports, in its own folder: they should be part of it."""
EMPTY_NAMES = frozenset(["found", "known", "one", "said", "theirs", "whole"])
"""Names that do not describe their value."""
PUBLISHED = frozenset([("core/figures/searched.py", "found")])
"""Fields of JSON with such a name, by file."""


@pytest.fixture(scope="module")
def sources():
    """The syntax trees of all modules and tests, by path in the project."""
    paths = [path for package in (*PACKAGES, "tests") for path in sorted((ROOT / package).rglob("*.py"))]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in paths}


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
    assert fragments() == FRAGMENTS, "merge a new module into its importer; remove deleted modules from the list"


def bindings(tree):
    """Yield the line and the name of each variable, parameter, attribute, function, class and import of a module."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield node.lineno, name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield node.lineno, name
            case ast.MatchMapping(rest=str(name)):
                yield node.lineno, name
            case ast.alias(name=name, asname=renamed):
                yield node.lineno, renamed or name.partition(".")[0]


@pytest.mark.parametrize(
    "code",
    [
        "found = 1", "found: int", "found += 1", "(found := 1)", "a, *found = b", "self.found = 1", "found, a = b",
        "def found(): ...", "async def found(): ...", "class found: ...", "def f(found): ...", "def f(*found): ...",
        "def f(*, found=1): ...", "def f(**found): ...", "lambda found: 1", "for found in a: ...", "[1 for found in a]",
        "with a as found: ...", "try: ...\nexcept E as found: ...", "import a as found", "from a import found",
        "import found.a", "match a:\n case found: ...", "match a:\n case [*found]: ...",
        "match a:\n case {**found}: ...", "match a:\n case f(b=found): ...",
    ],
)  # fmt: skip
def test_a_name_is_noticed_however_it_is_bound(code):
    assert "found" in [name for _, name in bindings(ast.parse(code))]


def test_no_variable_has_an_empty_name(sources):
    empty = [
        f"{path}:{line}: {name}"
        for path, tree in sources.items()
        for line, name in bindings(tree)
        if name.strip("_") in EMPTY_NAMES and (path, name) not in PUBLISHED
    ]
    assert not empty, "name the value by a term of the field"
