"""The table of formats: one record each, whose functions exist, and by which files are recognised."""

import re
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from core.formats import AUTO, FORMATS, by_ending, by_first_lines, by_root, choice_of_format, read_of, recognised
from core.job import Flows
from core.mapping import FromFile
from core.network import Edges

SOURCE = Path(__file__).parents[2]
SPECS = {"network": Edges, "job": Flows, "mapping": FromFile}


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: f"{form.part}-{form.id}")
def test_every_record_reads_or_writes(form):
    assert form.reader or form.writer
    assert not form.reader or callable(form.read)
    assert not form.writer or (callable(form.write) and form.written)


def test_no_record_stands_twice():
    keys = [(form.part, form.id) for form in FORMATS]
    assert len(keys) == len(set(keys))
    endings = [(form.part, ending) for form in FORMATS for ending in form.endings]
    assert len(endings) == len(set(endings))


@pytest.mark.parametrize("part", SPECS)
def test_the_field_of_a_scenario_takes_every_format_that_is_read(part):
    hint = get_type_hints(SPECS[part])["format"]
    assert get_args(hint) == get_args(choice_of_format(part)) == (AUTO, *read_of(part))


def test_an_id_is_declared_in_the_table_only():
    # Other modules name at most the format that they fall back to, or recognise by other means than the table's.
    ids = {form.id for form in FORMATS if "-" in form.id}
    lists = re.compile(r"[\[({,]\s*[\"']([\w-]+)[\"']\s*[,:]")
    for path in [*(SOURCE / "core").rglob("*.py"), *(SOURCE / "app").rglob("*.py")]:
        if path.name == "formats.py":
            continue
        named = {name for name in lists.findall(path.read_text()) if name in ids}
        assert len(named) < 3, (path, named)


def test_files_are_told_apart():
    assert recognised(b"# of nobody\ngraph { a -- b }").id == "dot"
    assert recognised(b"no format") is None
    assert by_ending("x.GV", "network").id == "dot"
    assert by_ending("x.graph", "job").part == "job"
    assert by_ending("x.dot", "job") is None
    assert by_root("graphml").id == "graphml"
    assert by_root("") is None
    assert by_first_lines("mapping", "n1:4").id == "hydra-hosts"
    assert by_first_lines("mapping", "n1") is None
