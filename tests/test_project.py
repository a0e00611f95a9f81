"""The metadata of the project: one version, one list of Pythons, and the papers that it is based on."""

import re
import tomllib
from pathlib import Path

import yaml

from app import __version__

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "tests.yml").read_text())


def test_the_citation_has_this_version_and_five_papers():
    assert CITATION["version"] == __version__
    assert CITATION["license"] == PROJECT["license"]
    assert len(CITATION["references"]) == 5
    assert all(paper["title"] and paper["authors"] for paper in CITATION["references"])


def test_every_supported_python_is_tested():
    named = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.M)
    for job in ("linux", "others"):
        assert WORKFLOW["jobs"][job]["strategy"]["matrix"]["python"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"
    assert f"<= (3, {named[-1].partition('.')[2]})" in (ROOT / ".ci" / "setup.sh").read_text()


def test_the_readme_names_every_extra():
    extras = PROJECT["optional-dependencies"]
    readme = (ROOT / "README.md").read_text()
    assert all(f"`{name}`" in readme for name in extras if name != "all")
