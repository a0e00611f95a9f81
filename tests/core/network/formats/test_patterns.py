"""Regular expressions that users give for names in files."""

import re

import pytest

from core.network.formats import patterns
from core.network.formats.infiniband.hosts import LEAVE_OUT, NODE_OF
from core.network.formats.patterns import MAX_REPEATS, compiled, searched
from core.spec import SpecError

SLOW = ["(a+)+", "(a*)*", "(a|a)*b", "(?:a?){30}", "((ab*)c)+", "(?P<x>a{2,3}){2,}", "(?=a+)*", "([ab]+c)*", "(a+){9}"]
FAST = [NODE_OF, LEAVE_OUT, "", "(a+)?b", r"(\(\+)*", "([+*]a)+", "(abc)+", "(?i)^n(\\d+)$", "(?:a|b)c", "(?x) (a) "]


@pytest.mark.parametrize("pattern", SLOW)
def test_nested_repetitions_are_refused(pattern):
    re.compile(pattern)
    with pytest.raises(SpecError, match=r"x\.y: .* repeats a group that contains"):
        compiled("x.y", pattern)


@pytest.mark.parametrize("pattern", FAST)
def test_other_patterns_are_compiled(pattern):
    assert compiled("x.y", pattern).pattern == pattern


@pytest.mark.parametrize("pattern", ["(", "[", "*", "(?P<a", "a{3,2}", "\\"])
def test_invalid_patterns_are_refused_in_one_line(pattern):
    with pytest.raises(SpecError, match="is not a regular expression") as refused:
        compiled("x.y", pattern)
    assert "\n" not in str(refused.value)


def test_repetitions_are_limited():
    compiled("x.y", ".*" * MAX_REPEATS)
    with pytest.raises(SpecError, match="more than 6 repetitions"):
        compiled("x.y", ".*" * MAX_REPEATS + "x{2}")


def test_time_is_limited(monkeypatch):
    monkeypatch.setattr(patterns, "MAX_SECONDS", -1.0)
    with pytest.raises(SpecError, match="takes very long"):
        searched("x.y", compiled("x.y", "a"), ["a"])


def test_only_the_beginning_of_a_long_name_counts():
    assert searched("x.y", compiled("x.y", "b"), ["a" * 500 + "b", "ab"])[0] is None
