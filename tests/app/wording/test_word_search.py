"""Search by words: any order, word starts first, sizes and numbers as people type them, one slip."""

import pytest

from app.wording.word_search import WordSearch

TEXTS = [
    ("Comparing by model", "View"),
    ("D-mod-k", "Routing"),
    ("Mod-colour", "Mapping"),
    ("Demodulate", "Tool"),
    ("Torus 8 × 8 × 8 halo", "Preset"),
    ("Dragonfly 1,056 nodes", "Preset"),
    ("Dark", "View › Theme"),
]


def best(query):
    return [TEXTS[number][0] for number in WordSearch(TEXTS).ranked(query)]


def test_without_words_all_are_listed_in_their_order():
    assert best("") == best(" · ") == [text for text, _ in TEXTS]


def test_starts_of_words_come_before_their_insides_and_the_start_of_the_text_first():
    assert best("mod") == ["Mod-colour", "D-mod-k", "Comparing by model", "Demodulate"]


def test_words_may_come_in_any_order_and_from_any_field():
    assert best("halo torus") == best("preset halo") == ["Torus 8 × 8 × 8 halo"]
    assert best("theme dark") == ["Dark"]
    assert best("theme light") == []


@pytest.mark.parametrize("typed", ["8x8x8", "8 x 8 x 8", "8×8", "8X8"])
def test_sizes_are_typed_as_usual(typed):
    assert best(typed) == ["Torus 8 × 8 × 8 halo"]


def test_thousands_are_typed_with_or_without_a_comma():
    assert best("1056") == best("1,056") == ["Dragonfly 1,056 nodes"]


@pytest.mark.parametrize("typed", ["dargonfly", "dragnfly", "draagonfly", "dragonfli"])
def test_a_slip_is_forgiven_in_a_longer_word(typed):
    assert best(typed) == ["Dragonfly 1,056 nodes"]


@pytest.mark.parametrize("typed", ["drk", "xragonfly", "dragonflies?"])
def test_other_words_do_not_match(typed):
    assert best(typed) == []


def test_signs_that_are_no_words_are_ignored():
    assert best("(mod) col?") == ["Mod-colour"]


def test_words_in_full_come_before_starts_of_words():
    jobs = WordSearch([("Allocate tool", "Tools"), ("All-to-all", "Job"), ("All-to-all in a supernode", "Tour")])
    assert jobs.ranked("all to all") == [1, 2, 0]
