"""The table of formats: one record per format, whose functions exist, and which recognises files."""

import ast
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from core.formats import AUTO, FORMATS, by_ending, by_first_lines, by_root, choice_of_format, read_of, recognised
from core.job import Flows
from core.mapping import FromFile
from core.network import Edges

SOURCE = Path(__file__).parents[2]
SPECS = {"network": Edges, "job": Flows, "mapping": FromFile}
WORDS = {"matrix", "goal", "permutation", "otf2", "simgrid", "msccl"}
"""Ids that are also names of a view, a job or a package."""
NAMED = {
    ("app/actions/exchange.py", "openmpi-rankfile"),
    ("app/actions/exchange.py", "opensm-lfts"),
    ("core/files/links.py", "links-parquet"),
    ("core/mapping/formats/__init__.py", "hostfile"),
    ("core/mapping/formats/__init__.py", "mpich-rank-order"),
    ("core/mapping/formats/__init__.py", "slurm-hostfile"),
    ("core/mapping/from_file.py", "mpich-rank-order"),
    ("core/network/formats/__init__.py", "edge-list"),
    ("core/load/rerouting.py", "opensm-lfts"),
}
"""Modules that name a format, because files of it have no mark, or because it has a special rule."""


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: f"{form.part}-{form.id}")
def test_every_record_reads_or_writes(form):
    assert form.reader or form.writer
    assert not form.reader or callable(form.read)
    assert not form.writer or (callable(form.write) and form.written)


def test_no_record_is_repeated():
    keys = [(form.part, form.id) for form in FORMATS]
    assert len(keys) == len(set(keys))
    endings = [(form.part, ending) for form in FORMATS for ending in form.endings]
    assert len(endings) == len(set(endings))


@pytest.mark.parametrize("part", SPECS)
def test_the_field_of_a_scenario_takes_every_format_that_is_read(part):
    hint = get_type_hints(SPECS[part])["format"]
    assert get_args(hint) == get_args(choice_of_format(part)) == (AUTO, *read_of(part))


def test_an_id_is_declared_in_the_table_only():
    named = {
        (path.relative_to(SOURCE).as_posix(), node.value)
        for package in ("app", "core")
        for path in (SOURCE / package).rglob("*.py")
        if path.name != "formats.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and node.value in {form.id for form in FORMATS} - WORDS
    }
    assert named == NAMED, "read it off the record; strike out what is gone"


def test_files_are_distinguished():
    assert recognised(b"# of nobody\ngraph { a -- b }").id == "dot"
    assert recognised(b"no format") is None
    assert by_ending("x.GV", "network").id == "dot"
    assert by_ending("x.graph", "job").part == "job"
    assert by_ending("x.dot", "job") is None
    assert by_root("graphml").id == "graphml"
    assert by_root("") is None
    assert by_root("algo").part == "job"
    assert by_root("algo", "network") is None
    assert by_first_lines("mapping", "n1:4").id == "hydra-hosts"
    assert by_first_lines("mapping", "n1") is None
    assert by_first_lines("network", '{"a": {}, "switches": {}}').id == "sst-json"
    assert by_first_lines("network", '{"a": {}}').id == "netjson"
    assert by_first_lines("network", "a b") is None
