"""Lists have everything that the commands `list` and `schema` know."""

import pytest

from app.cli.list import machines, studies
from app.cli.schema import results_of_commands
from app.docs.lists import pages, schemas
from app.storage.presets import preset_names
from app.wording.reference import as_markdown
from core.formats import FORMATS


@pytest.fixture(scope="module")
def listed():
    return {page.title: page for page in pages()}


def test_every_preset_has_a_picture_and_its_throughput(listed):
    page = listed["Presets"]
    assert list(page.pictures) == list(preset_names())
    assert all(f"{{ #{name} }}" in page.text for name in preset_names())
    assert "`power775-halo-sequential` · 4,096 tasks on 1,024 nodes, 35,712 links · **10 GB/s per node**" in page.text


def test_a_picture_is_drawn(listed, qapp, tmp_path):
    listed["Presets"].pictures["power775-smallest"](tmp_path / "x.png", "light")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_machines_and_studies_are_listed(listed):
    assert all(
        f"| {as_markdown(row.name)} | {as_markdown(row.summary)} |" in listed["Machines"].text for row in machines()
    )
    assert all(f"| `{row.name}` | {as_markdown(row.summary)} |" in listed["Studies"].text for row in studies())


def test_every_format_is_listed_by_its_name_and_by_that_of_its_export(listed):
    text = listed["File formats"].text
    assert text.count("\n| `") == len(FORMATS)
    assert all(f"| `{form.id}` |" in text for form in FORMATS)
    assert all(f"`{form.kind}`: {as_markdown(form.written)}" in text for form in FORMATS if form.writer)


def test_schemas_are_of_files_and_of_outputs(listed):
    assert set(schemas()) == {"scenario", "study", "tour", *(f"{name}-output" for name in results_of_commands())}
    assert all(f"(../schemas/{name}.schema.json)" in listed["JSON Schemas"].text for name in schemas())
