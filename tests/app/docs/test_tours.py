"""Pages of tours."""

import pytest

from app.docs import tours
from app.docs.tutorial import TutorialError
from app.storage.tours import tour_names
from tests.app.docs.conftest import tour_nothing


def test_each_tour_has_a_page_with_its_scenes_and_an_interactive_page(monkeypatch, tmp_path):
    monkeypatch.setattr(tours, "_program", tour_nothing)
    pages = tours.pages(tmp_path)
    assert [page.path for page in pages] == ["tours/index.md", *(f"tours/{name}.md" for name in tour_names())]
    assert {path.name for path in (tmp_path / "interactive").iterdir()} == {f"{name}.html" for name in tour_names()}
    assert "## 1. A scene\n\n**10 GB/s** per node" in pages[1].text
    assert 'src="interactive/start-here.html"' in pages[1].text


def test_figures_of_a_real_tour_are_current():
    tour = tours._tour("start-here")
    assert "**10 GB/s**" in tour.scenes[3]["text"]


def test_an_error_in_a_tour_ends_the_build():
    with pytest.raises(TutorialError, match="no-such-tour"):
        tours._tour("no-such-tour")
