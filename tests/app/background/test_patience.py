"""Work that would take minutes is refused with an estimate, unless the user allows it."""

import pytest

from app.background.patience import refuse_after, refuse_minutes
from core.spec import TooLarge


def reported(fractions, seconds, patient=False):
    """The fractions reported by work that reaches `fractions` after `seconds` of CPU time."""
    received, times = [], iter([0.0, *seconds])
    progress = refuse_minutes(received.append, patient, clock=lambda: next(times))
    for fraction in fractions:
        progress(fraction)
    return received


def test_a_refusal_has_an_estimate():
    refusal = "job: would take about 10 minutes of computing time; use --patient to allow it, or choose a smaller job"
    with pytest.raises(TooLarge, match=f"^{refusal}$"):
        reported([0.001, 0.01], [0.6, 6.0])
    with pytest.raises(TooLarge, match=r"would take more than 33 minutes"):
        reported([0.0, 0.0], [6.0, 20.0])
    with pytest.raises(TooLarge, match=r"would take about 2 hours"):
        reported([0.01], [72.0])


def test_a_refusal_names_the_choice_that_is_too_large():
    times = iter([0.0, 6.0])
    progress = refuse_minutes(lambda _: None, False, clock=lambda: next(times), field="network")
    with pytest.raises(TooLarge, match=r"^network: would take .* or choose a smaller network$"):
        progress(0.01)


def test_compilation_of_kernels_is_not_counted(monkeypatch):
    compiled = iter([0, 1, 1])
    monkeypatch.setattr("core.kernels.compile_events.compiled", lambda: next(compiled))
    assert reported([0.01, 0.02], [60.0, 61.0]) == [0.01, 0.02]


def test_short_work_and_allowed_work_continue():
    assert reported([0.1, 0.5, 1.0], [6.0, 30.0, 60.0]) == [0.1, 0.5, 1.0]
    assert reported([0.0, 0.005], [1.0, 4.0]) == [0.0, 0.005]
    assert reported([0.0, 0.01], [6.0, 72.0], patient=True) == [0.0, 0.01]
    assert reported([0.9], [1000.0]) == [0.9]


def test_long_work_is_refused_unless_it_is_nearly_done():
    received, times = [], iter([0.0, 4.0, 11.0, 12.0])
    progress = refuse_after(10.0, received.append, clock=lambda: next(times))
    progress(0.1)
    progress(0.8)
    refusal = "job: would take more than 10 seconds of computing time; use --patient to allow it"
    with pytest.raises(TooLarge, match=f"^{refusal}$"):
        progress(0.4)
    assert received == [0.1, 0.8, 0.4]
