"""Host list expressions: expansion as by scontrol, and back."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hostlist import MAX_RANGE, HostListError, compress, expand


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n[001-003,200],login1", "n001 n002 n003 n200 login1"),
        ("n[001-2]", "n001 n002"),
        ("n[099-101]", "n099 n100 n101"),
        ("n[9-11]", "n9 n10 n11"),
        ("r[0-1]n[0-1]", "r0n0 r0n1 r1n0 r1n1"),
        ("n[1-2]-ib", "n1-ib n2-ib"),
        ("n2,n1 n2,,\tn2\n", "n2 n1 n2 n2"),
        ("", ""),
        ("n[2,1-2,2]", "n2 n1 n2 n2"),
        ("x[0-1,5]y[07-08]z", "x0y07z x0y08z x1y07z x1y08z x5y07z x5y08z"),
    ],
)
def test_an_expression_stands_for_names_in_its_order(text, names):
    assert expand(text) == names.split()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("n[3-1]", "n[3-1]: 3-1 runs backwards; write 1-3"),
        ("n[a-b]", "n[a-b]: a-b is not a number; write n[1-3,7]"),
        ("n[]", "n[]: missing number in brackets; write n[1-3,7]"),
        ("n[1,,2]", "n[1,,2]: missing number in brackets; write n[1-3,7]"),
        ("n[1-3]]", "n[1-3]]: ] without a matching [; write n[1-3]"),
        ("a,n[1-", "n[1-: missing ]; write n[1-3]"),
        ("n[1[2]]", "n[1[2]]: missing ]; write n[1-3]"),
        ("n[1, 2]", "n[1, 2]: spaces inside brackets; write n[1-3,7]"),
        ("n[0-262144]", "n[0-262144]: 262,145 names in one range; the limit is 262,144"),
        ("n[0-262143][0-99]", "n[0-262143][0-99] has 26,214,400 names; the limit is 4,194,304"),
        (
            "n1,n[0-262143][0-15]",
            "n[0-262143][0-15] has 4,194,304 names, 4,194,305 with the previous names; the limit is 4,194,304",
        ),
        ("n[1" + 262_144 * ",1" + "]", f"n[1{18 * ',1'}…: more than 262,144 ranges in brackets"),
        ("n[" + 30 * "9" + "]", "n[999999999999999999999999999999]: a number has more than 18 digits"),
    ],
)
def test_invalid_expressions_are_refused_in_one_line(text, what):
    with pytest.raises(HostListError, match=f"^{re.escape(what)}$"):
        expand(text)


def test_the_longest_range_is_read():
    assert len(expand(f"n[0-{MAX_RANGE - 1}]")) == MAX_RANGE


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("n001 n002 n003 n200 login1", "n[001-003,200],login1"),
        ("n1 n2 n3 n10", "n[1-3,10]"),
        ("n01 n02 n3", "n[01-02,3]"),
        ("n2 n1 n2", "n[2,1-2]"),
        ("r0n0 r0n1 r1n0", "r0n[0-1],r1n0"),
        ("n1-ib n2-ib n3", "n1-ib,n2-ib,n3"),
        ("n9 n10 n99 n100", "n[9-10,99-100]"),
        ("login1", "login1"),
        ("n1 n1", "n[1,1]"),
        ("7 8 9", "[7-9]"),
        ("", ""),
    ],
)
def test_names_are_written_as_scontrol_writes_them(names, text):
    assert compress(names.split()) == text


NAMES = st.builds(
    lambda stem, number, width, end: f"{stem}{number:0{width}d}{end}",
    st.sampled_from(["n", "r1n", "x", ""]),
    st.integers(0, 120),
    st.integers(1, 4),
    st.sampled_from(["", "", "", "-ib"]),
)


@given(st.lists(NAMES))
def test_written_expressions_are_read_back(names):
    assert expand(compress(names)) == names


@given(st.text(alphabet="n1-,[] x0", max_size=20))
def test_any_text_is_read_or_refused_in_one_line(text):
    with contextlib.suppress(HostListError):
        names = expand(text)
        assert expand(compress(names)) == names
