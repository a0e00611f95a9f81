"""All texts of the product: they are collected in one file, which can be read as a whole, and hold no denied phrase."""

import pytest

from tests.app.window.test_windows import OPENERS, opened
from tests.texts.collected import (
    ROOT,
    Text,
    printed_texts,
    remarks,
    shipped_texts,
    source_texts,
    widget_texts,
    written,
)
from tests.texts.phrases import PHRASES

COLLECTED = ROOT / "build" / "texts.txt"
"""Written by the test; ``build`` is not under version control."""
OWN = "tests/texts/phrases.py"
"""The module that names the phrases."""


@pytest.fixture
def texts(lent, qtbot, monkeypatch):
    """The texts of the product, including its windows as opened on the worked example."""
    monkeypatch.setenv("COLUMNS", "120")
    windows = list(widget_texts(lent, "main window"))
    for name in OPENERS:
        window = opened(lent, name, qtbot)
        windows += widget_texts(window, name)
        window.close()
    return [*source_texts(), *shipped_texts(), *printed_texts(), *windows]


def denied(texts):
    """Return a line for each text with a denied phrase."""
    return [
        f"{place}: {part!r}: {phrase.better}"
        for place, words in texts
        for phrase in PHRASES
        if (part := phrase.within(words)) is not None
    ]


def test_collected_texts_hold_no_denied_phrase(texts):
    written(texts, COLLECTED)
    assert len(texts) > 5000
    assert "\n".join(denied(texts)) == ""


def test_docstrings_and_comments_hold_no_denied_phrase():
    assert "\n".join(denied(remark for remark in remarks() if not remark.place.startswith(OWN))) == ""


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_a_denied_phrase_is_noticed_and_its_better_form_is_not(phrase):
    assert denied([Text("here", phrase.example)])
    assert phrase.within(phrase.better) is None
