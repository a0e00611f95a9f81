"""Numbers and nouns as text."""

import pytest

from core.text import MAX_DIGITS, as_sentence, counted, duration, figure, guess, links_of, plural, plural_noun

TIMES = {
    0: "0 s",
    4e-9: "4 ns",
    0.00025: "250 µs",
    0.0625: "62.5 ms",
    0.8: "800 ms",
    1.0: "1 s",
    12.94117: "12.94 s",
    999.96: "1,000 s",
    6940: "6,940 s",
    43_210: "43,210 s",
    1_080_000: "12.5 days",
}


@pytest.mark.parametrize(("seconds", "text"), TIMES.items(), ids=TIMES.values())
def test_times_are_written_with_suitable_units(seconds, text):
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0004, "400 µs"), (0.012, "12 ms"), (0.123, "123 ms"), (1.26, "1.3 s")]
)
def test_times_can_have_two_digits(seconds, text):
    assert duration(seconds, digits=2) == text


def test_numbers_have_four_digits_and_no_powers_of_ten():
    texts = ["0.25", "1", "11.5", "1,000", "6,940", "4,000,000,000", "0.0000123"]
    assert [figure(value) for value in (0.25, 1, 11.5, 1000, 6940, 4e9, 1.23e-5)] == texts


def test_a_count_is_written_in_full_up_to_twelve_digits():
    assert [counted(n) for n in (0, 98_304, 10**MAX_DIGITS)] == ["0", "98,304", "1,000,000,000,000"]
    assert counted(10**MAX_DIGITS + 1) == counted(1024**16) == "more than 10^12"


def test_nouns_follow_their_number():
    assert [plural(1, "link"), plural(7168, "link"), plural(2, "switch")] == ["1 link", "7,168 links", "2 switches"]
    assert [plural(1.0, "hop"), plural(1.5, "hop"), plural(98_304.0, "hop")] == ["1 hop", "1.5 hops", "98,304 hops"]
    assert [plural_noun("level 2 copy"), plural_noun("way"), plural(10**13, "node")] == [
        "level 2 copies", "ways", "more than 10^12 nodes",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("classes", "text"),
    [
        (["LR", "D"], "LR and D links"),
        (["host link"], "host links"),
        (["link"], "links"),
        (["nvlink"], "nvlinks"),
        (["nvlink", "pcie"], "nvlink and pcie links"),
    ],
)
def test_links_are_called_by_their_classes(classes, text):
    assert links_of(*classes) == text


def test_names_are_guessed_in_any_case_and_word_order():
    names = ["torus", "Like Summit", "Frontier"]
    meant = {"tors": "torus", "Summit-like": "Like Summit", "summit": "Like Summit", "FRONTEIR": "Frontier"}
    assert {name: guess(name, names) for name in meant} == {
        name: f"did you mean {right}? " for name, right in meant.items()
    }
    assert guess("qqqq", names) == ""


def test_a_sentence_ends_with_a_single_mark():
    assert as_sentence("no figure 'node'; did you mean nodes?") == "No figure 'node'; did you mean nodes?"
    assert as_sentence("1 / 0 cannot be computed") == "1 / 0 cannot be computed."
