"""Packages of extras: without its package, a feature gives the command to install it in one line."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from app.storage.animations import Animation
from core.optional import optional
from core.spec import SpecError
from core.sweep.cluster import cluster_of
from core.sweep.results import read_results

ROOT = Path(__file__).parents[2]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.fixture
def hide(monkeypatch):
    """Return a function that makes a package appear not to be installed."""

    def hidden(package):
        for name in [name for name in sys.modules if name.partition(".")[0] == package]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, package, None)

    return hidden


def parquet(folder):
    (folder / "x.parquet").write_bytes(b"PAR1")
    read_results(folder / "x.parquet")


def workers(folder):
    with cluster_of(None, 1):
        pass


@pytest.mark.parametrize(
    ("package", "extra", "use"),
    [
        ("distributed", "cluster", workers),
        ("pyarrow", "parquet", parquet),
        ("imageio_ffmpeg", "film", lambda folder: Animation(folder / "x.mp4", (64, 64))),
    ],
)
def test_a_missing_package_is_reported_with_the_command_to_install_it(hide, tmp_path, package, extra, use):
    hide(package)
    with pytest.raises(SpecError, match=rf"requires the package {package}; run pip install 'fabriscope\[{extra}\]'"):
        use(tmp_path)
    assert not (tmp_path / "x.mp4").exists()


def test_an_installed_package_is_imported():
    assert optional("json", "all", "x").loads("1") == 1


def test_all_extras_are_in_all():
    names = EXTRAS["all"][0].partition("[")[2].rstrip("]").split(",")
    assert set(names) == EXTRAS.keys() - {"all"}


def test_dask_logging_is_configured_before_the_import():
    # Dask reads the setting when it is imported, and would report the same errors.
    program = (
        "import sys\n"
        "from core.sweep.cluster import cluster_of\n"
        "from core.spec import SpecError\n"
        "try:\n"
        "    cluster_of('nowhere', 1).__enter__()\n"
        "except SpecError:\n"
        "    import logging\n"
        "    print(logging.getLogger('distributed.client').getEffectiveLevel() == logging.CRITICAL)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n", done.stderr
