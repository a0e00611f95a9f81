"""Word search: any order, word starts first, sizes and numbers as typed, one typing error."""

import pytest

from app.wording.word_search import WordSearch

TEXTS = [
    ("Comparing by model", "View"),
    ("D-mod-k", "Routing"),
    ("Mod-colour", "Mapping"),
    ("Demodulate", "Tool"),
    ("Torus 8 × 8 × 8 halo", "Preset"),
    ("Dragonfly, 1,056 nodes", "Preset"),
    ("Dark", "View › Theme"),
]


def best(query):
    return [TEXTS[number][0] for number in WordSearch(TEXTS).ranked(query)]


def test_empty_query_lists_all_texts_in_order():
    assert best("") == best(" · ") == [text for text, _ in TEXTS]


def test_matches_at_word_starts_rank_before_matches_inside_words():
    assert best("mod") == ["Mod-colour", "D-mod-k", "Comparing by model", "Demodulate"]


def test_words_match_in_any_order_and_in_any_field():
    assert best("halo torus") == best("preset halo") == ["Torus 8 × 8 × 8 halo"]
    assert best("theme dark") == ["Dark"]
    assert best("theme light") == []


@pytest.mark.parametrize("typed", ["8x8x8", "8 x 8 x 8", "8×8", "8X8"])
def test_sizes_match_in_any_spelling(typed):
    assert best(typed) == ["Torus 8 × 8 × 8 halo"]


def test_thousands_match_with_or_without_a_comma():
    assert best("1056") == best("1,056") == ["Dragonfly, 1,056 nodes"]


@pytest.mark.parametrize("typed", ["dargonfly", "dragnfly", "draagonfly", "dragonfli"])
def test_longer_word_may_have_one_typing_error(typed):
    assert best(typed) == ["Dragonfly, 1,056 nodes"]


@pytest.mark.parametrize("typed", ["drk", "xragonfly", "dragonflies?"])
def test_other_words_do_not_match(typed):
    assert best(typed) == []


def test_punctuation_is_ignored():
    assert best("(mod) col?") == ["Mod-colour"]


def test_full_words_rank_before_word_starts():
    jobs = WordSearch([("Allocate tool", "Tools"), ("All-to-all", "Job"), ("All-to-all in a supernode", "Tour")])
    assert jobs.ranked("all to all") == [1, 2, 0]
