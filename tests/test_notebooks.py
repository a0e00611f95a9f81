"""Notebooks run, and the outputs stored in them are the outputs of this version."""

import json
import sys

import pytest

import app.fabriscope as fabriscope
from tests import notebook

SAME = "stream", "text/html", "text/plain"


def texts(content):
    """Return the texts of all outputs; pictures depend on the fonts of a machine."""
    outputs = [output for cell in content["cells"] for output in cell.get("outputs", [])]
    return [output.get("text") or [output["data"].get(kind) for kind in SAME[1:]] for output in outputs]


@pytest.mark.parametrize("path", sorted(notebook.NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_gives_the_outputs_that_are_stored_in_it(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fabriscope", fabriscope)
    stored, fresh = json.loads(path.read_text(encoding="utf-8")), notebook.run(path)
    assert texts(fresh) == texts(stored)
    pictures = [output["data"] for cell in fresh["cells"] for output in cell.get("outputs", []) if "data" in output]
    assert sum("image/svg+xml" in data for data in pictures) == 2
