"""The import contracts of pyproject.toml work: a forbidden import in a copy of the source breaks them."""

import re
import shutil
import tomllib
from pathlib import Path

import grimp
import networkx as nx
import pytest

from tests import programs

ROOT = Path(__file__).resolve().parent.parent

LAYERS = "app uses core, never the other way round"
NO_SCREEN = "core does not depend on a screen"
COMPILER = "only core.kernels imports the compiler"
CLUSTER = "only studies and searches on a cluster import Dask and Parquet"
INSIDE_CORE = "inside core, imports run one way"
INSIDE_APP = "inside app, imports run one way"
PANELS = "panels do not import each other"
NO_SCREEN_IN_APP = "commands, reports, tours, model and wording do not depend on a screen"
VIOLATIONS = [
    ("core/load/stray1.py", "import vispy", {NO_SCREEN}),
    ("core/load/stray2.py", "import app", {LAYERS, NO_SCREEN}),
    ("core/load/stray3.py", "import numba", {COMPILER}),
    ("app/panels/studies/stray.py", "import pyarrow", {CLUSTER}),
    ("core/network/stray1.py", "import core.load", {INSIDE_CORE}),
    ("core/network/stray2.py", "import core.job", {INSIDE_CORE}),
    ("core/stray.py", "", {INSIDE_CORE}),
    ("app/stray.py", "", {INSIDE_APP}),
    ("app/window/stray.py", "import app.cli", {INSIDE_APP}),
    ("app/actions/stray.py", "import app.window", {INSIDE_APP}),
    ("app/panels/stray.py", "import app.actions", {INSIDE_APP}),
    ("app/views/stray.py", "def late():\n    import app.tools", {INSIDE_APP}),
    ("app/widgets/stray.py", "import app.visuals", {INSIDE_APP}),
    (
        "app/session/stray.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import app.widgets",
        {INSIDE_APP},
    ),
    ("app/wording/stray.py", "import app.model", {INSIDE_APP}),
    ("app/cli/stray.py", "import app.fabriscope", {INSIDE_APP}),
    ("app/panels/build/stray.py", "import app.panels.networks", {PANELS}),
    ("app/model/stray.py", "import PySide6", {NO_SCREEN_IN_APP}),
    ("app/cli/new_command.py", "def late():\n    import PySide6", {NO_SCREEN_IN_APP}),
    ("app/report/new_part.py", "import vispy", {NO_SCREEN_IN_APP}),
]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Copy the source that the contracts read; the tree itself is not changed."""
    copy = tmp_path_factory.mktemp("source")
    for package in ("app", "core"):
        shutil.copytree(ROOT / package, copy / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    return copy


def contracts():
    return [
        contract["name"]
        for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    ]


def broken_contracts(source):
    """The message of import-linter's own command for each contract that the source breaks, by its name."""
    command = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = programs.run(["importlinter.cli"], ["-c", command, "--cache-dir", source / "cache"], cwd=source)
    verdicts = {name: name + " BROKEN" in done.stdout for name in contracts()}
    for name, broken in verdicts.items():
        assert broken or name + " KEPT" in done.stdout, done.stdout + done.stderr
    assert (done.returncode != 0) == any(verdicts.values()), done.stdout
    # Each contract has an underlined heading.
    parts = re.split(r"^(.+)\n-+\n", done.stdout, flags=re.MULTILINE)[1:]
    text_of = dict(zip(parts[::2], parts[1::2], strict=True))
    return {name: text_of[name] for name, broken in verdicts.items() if broken}


@pytest.fixture(scope="module")
def broken_by_imports(source):
    """The messages for the source with all forbidden imports at once; no module with such an import imports another."""
    for where, line, _ in VIOLATIONS:
        (source / where).write_text(line + "\n")
    yield broken_contracts(source)
    for where, _, _ in VIOLATIONS:
        (source / where).unlink()


def cycles(*packages):
    """Files that import each other in a cycle, including imports inside functions and for type checking only."""
    imports = grimp.build_graph(*packages, cache_dir=None)
    edges = [
        (module, imported)
        for module in imports.modules
        for imported in imports.find_modules_directly_imported_by(module)
    ]
    return [
        sorted(component) for component in nx.strongly_connected_components(nx.DiGraph(edges)) if len(component) > 1
    ]


def test_the_source_keeps_every_contract(source):
    assert broken_contracts(source) == {}


@pytest.mark.parametrize(("where", "line", "broken"), VIOLATIONS)
def test_a_forbidden_import_breaks_its_contract(broken_by_imports, where, line, broken):
    module = where.removesuffix(".py").replace("/", ".")
    names = re.compile(rf"^- +{module}\b", re.MULTILINE)
    assert {name for name, text in broken_by_imports.items() if names.search(text)} == broken


def test_every_contract_has_an_import_that_breaks_it():
    assert set().union(*(broken for _, _, broken in VIOLATIONS)) == set(contracts())


def test_imports_of_app_and_core_have_no_cycle():
    assert cycles("app", "core") == []


def test_a_cycle_of_imports_is_noticed(tmp_path, monkeypatch):
    package = tmp_path / "rounded"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("import rounded.two")
    (package / "two.py").write_text("def late():\n    from rounded import one\n    return one")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert cycles("rounded") == [["rounded.one", "rounded.two"]]
