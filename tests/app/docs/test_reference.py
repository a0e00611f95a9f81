"""Pages of the reference have all texts of the window's reference, and the whole Python interface."""

import re

import pytest

from app import api
from app.docs.reference import pages, python_pages, result_fields
from app.window.help import reference


@pytest.fixture(scope="module")
def grouped(qapp):
    return pages()


def test_every_section_is_a_page(grouped):
    titles = re.findall(r"^## (.+)$", reference(), re.M)
    assert [page.title for group in grouped.values() for page in group if page.title != "Overview"] == titles
    assert "Network choices" in {page.title for page in grouped["Choices"]}
    assert "Figures" in {page.title for page in grouped["Reference"]}


def test_a_value_of_a_choice_has_an_anchor(grouped):
    networks = next(page for page in grouped["Choices"] if page.title == "Network choices")
    assert "## Torus (`torus`) { #torus }" in networks.text


def test_pictures_of_chapters_are_copied_in_both_themes(grouped, tmp_path):
    chapter = next(page for page in grouped["Reference"] if page.title == "Lattice colourings")
    assert len(chapter.pictures) == 3
    for name, draw in chapter.pictures.items():
        for theme in ("light", "dark"):
            assert f"({name}-{theme}.png#only-{theme})" in chapter.text
            draw(tmp_path / theme, theme)
            assert (tmp_path / theme).read_bytes().startswith(b"\x89PNG")


def test_every_public_name_has_an_entry():
    entries = re.findall(r"^::: [\w.]+\.(\w+)$", "\n".join(page.text for page in python_pages()), re.M)
    assert len(entries) == len(set(entries))
    # The second name of an error, and a text.
    assert set(entries) == {*api.__all__} - {"SpecError", "__version__"}


def test_fields_have_meanings_and_units():
    evaluation = result_fields()["core.figures.evaluation.Evaluation"]
    assert evaluation["throughput_gbs"] == "Throughput per node; none if all links are idle, in GB/s per node."
    assert evaluation["tasks"] == "Tasks of the job."
