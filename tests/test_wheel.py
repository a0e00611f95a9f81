"""The wheel: the one package `fabriscope`, which the user's own packages app, core and resources do not disturb."""

import subprocess
import sys

import pytest

from tests import patience, relocated

hook = relocated.build_hook()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    return relocated.install(relocated.build_wheel(folder), folder / "site")


def run(site, user, *command):
    return subprocess.run(
        [sys.executable, *command],
        cwd=user, env={**relocated.environment(site, user), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True, text=True, timeout=patience.SECONDS, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from core.spec import a\n", "from fabriscope.core.spec import a\n"),
        ("from core import kernels, app\n", "from fabriscope.core import kernels, app\n"),
        ("import app\n", "import fabriscope.app as app\n"),
        ("import app.model.state\n", "import fabriscope.app.model.state, fabriscope.app as app\n"),
        ("import app.fabriscope as api, resources\n", "import fabriscope as api, fabriscope.resources as resources\n"),
        ("é = 1; from app.cli import x\n", "é = 1; from fabriscope.app.cli import x\n"),
        ("load('core.kernels.compiled')\n", "load('fabriscope.core.kernels.compiled')\n"),
        ('LOAD = "app.views.view:View"\n', 'LOAD = "fabriscope.app.views.view:View"\n'),
        ('run("-m", "app.fabriscope")\n', 'run("-m", "fabriscope")\n'),
        ('load(f"app.cli.{name}")\n', 'load(f"fabriscope.app.cli.{name}")\n'),
        ("from . import core\nfrom importlib.resources import files\n", None),
        ("import appdirs, coredump\nfrom resources_x import core\n", None),
        ('names = ("leaf", "spine", "core")\n', None),
        ('"""See `core.files` and app.cli."""\n', None),
        ('f"{name}.core.x"\n', None),
    ],
)
def test_imports_and_names_of_modules_are_renamed(source, expected):
    assert hook.relocated(source) == (expected or source)


def test_the_wheel_contains_one_package(site):
    names = {path.name for path in site.iterdir()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"fabriscope"}
    assert {path.name for path in (site / "fabriscope").iterdir()} >= {"app", "core", "resources", "py.typed"}
    assert not (site / "fabriscope" / "app" / "fabriscope").exists()
    assert [path for path in site.rglob("*") if path.name in ("docs", "mkdocs.yml")] == []


def test_the_installed_package_works_without_a_window_and_leaves_no_process(site, tmp_path):
    before = sorted(site.rglob("*"))
    # The last command is `python -m`.
    script = (
        "import runpy, sys, fabriscope\n"
        "print([name for name in sys.modules if name.startswith(('numpy', 'fabriscope.'))])\n"
        "print(fabriscope.evaluate('power775-smallest').throughput_gbs)\n"
        "fabriscope.optimise('power775-smallest', steps=5), fabriscope.metrics('torus:dims=4x4')\n"
        "print([name for name in sys.modules if name.startswith(('PySide6', 'vispy'))])\n"
        "sys.argv[1:] = 'evaluate', 'power775-smallest', '--json'\n"
        "runpy.run_module('fabriscope', run_name='__main__', alter_sys=True)\n"
    )
    done = run(site, relocated.user_folder(tmp_path / "user"), "-c", script)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[]\n5.0\n[]\n{")
    assert sorted(site.rglob("*")) == before


def test_commands_work_in_a_folder_with_packages_of_the_same_names(site, tmp_path):
    user = relocated.user_folder(relocated.tests_in(tmp_path))
    tests = [
        f"tests/app/{name}.py"
        for name in ("api/test_functions", "api/test_scenario", "cli/test_export", "cli/test_main")
    ]
    done = run(site, user, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout
