"""Synthetic permutations: published cases, and properties that hold for all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import Pattern
from core.job.pattern import OF_BITS, OF_DIGITS
from core.spec import SpecError

WRITTEN = [
    (Pattern("bit-complement", 8), "7 6 5 4 3 2 1 0"),
    (Pattern("bit-reversal", 8), "0 4 2 6 1 5 3 7"),
    (Pattern("butterfly", 8), "0 4 2 6 1 5 3 7"),
    (Pattern("shuffle", 8), "0 2 4 6 1 3 5 7"),
    (Pattern("bit-rotation", 8), "0 4 1 5 2 6 3 7"),
    (Pattern("bit-transpose", 16), "0 4 8 12 1 5 9 13 2 6 10 14 3 7 11 15"),
    (Pattern("tornado", 8), "3 4 5 6 7 0 1 2"),
    (Pattern("tornado", dims=(4, 5)), "7 8 9 5 6 12 13 14 10 11 17 18 19 15 16 2 3 4 0 1"),
    (Pattern("neighbour", dims=(3, 4)), "5 6 7 4 9 10 11 8 1 2 3 0"),
    (Pattern("digit-complement", dims=(2, 3)), "5 4 3 2 1 0"),
    (Pattern("digit-reversal", dims=(3, 3)), "0 3 6 1 4 7 2 5 8"),
    (Pattern("shift", 6, shift=8), "2 3 4 5 0 1"),
]


@pytest.mark.parametrize(("spec", "targets"), WRITTEN, ids=lambda spec: getattr(spec, "kind", ""))
def test_targets_match_written_examples(spec, targets):
    assert " ".join(map(str, spec.targets())) == targets


@given(st.sampled_from(sorted(OF_BITS)), st.integers(0, 3))
def test_inverse_patterns_restore_the_tasks(kind, half):
    spec = Pattern(kind, 1 << 2 * half)
    targets = spec.targets()
    assert sorted(targets.tolist()) == list(range(targets.size))
    back = {"shuffle": "bit-rotation", "bit-rotation": "shuffle"}.get(kind, kind)
    assert (Pattern(back, spec.tasks).targets()[targets] == np.arange(targets.size)).all()


@given(st.sampled_from([*sorted(OF_DIGITS), "shift"]), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_all_patterns_are_permutations(kind, side, count, shift):
    spec = Pattern(kind, dims=(side,) * count, shift=shift)
    assert sorted(spec.targets().tolist()) == list(range(side**count))
    assert spec.build().tasks == side**count


@given(
    st.sampled_from([*sorted(OF_BITS), *sorted(OF_DIGITS), "shift"]),
    st.integers(1, 200),
    st.sampled_from([None, (2, 2)]),
)
def test_a_resized_pattern_fits_the_slots(kind, slots, dims):
    spec = Pattern(kind, tasks=4, dims=dims).resized(slots)
    assert spec.build().tasks <= slots


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        (Pattern("shuffle", 12), "job.tasks", "makes 12 tasks; shuffle needs a power of two, such as 16"),
        (Pattern("bit-transpose", 8), "job.tasks", "needs an even power of two, such as 4 or 16"),
        (Pattern("digit-reversal", dims=(2, 3)), "job.dims", "must all be equal for digit-reversal"),
    ],
)
def test_impossible_sizes_are_refused(spec, field, words):
    with pytest.raises(SpecError, match=words) as refusal:
        spec.build()
    assert refusal.value.field == field
