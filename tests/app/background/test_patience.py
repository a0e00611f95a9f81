"""Work of minutes is refused with the estimate, unless the user insists."""

import pytest

from app.background.patience import refuse_after, refuse_minutes
from core.spec import TooLarge


def told(fractions, seconds, insists=False):
    """Messages about work whose parts are done at these times."""
    heard, times = [], iter([0.0, *seconds])
    progress = refuse_minutes(heard.append, insists, clock=lambda: next(times))
    for fraction in fractions:
        progress(fraction)
    return heard


def test_it_says_about_how_long_it_would_take():
    with pytest.raises(
        TooLarge, match=r"^job: would take about 10 minutes of computing time; use --patient to allow it, or choose a smaller job$"
    ):
        told([0.001, 0.01], [0.6, 6.0])
    with pytest.raises(TooLarge, match=r"would take more than 33 minutes"):
        told([0.0, 0.0], [6.0, 20.0])
    with pytest.raises(TooLarge, match=r"would take about 2 hours"):
        told([0.01], [72.0])


def test_compiling_kernels_is_not_counted(monkeypatch):
    compiled = iter([0, 1, 1])
    monkeypatch.setattr("core.kernels.compile_events.compiled", lambda: next(compiled))
    assert told([0.01, 0.02], [60.0, 61.0]) == [0.01, 0.02]


def test_what_takes_less_or_is_insisted_on_goes_on():
    assert told([0.1, 0.5, 1.0], [6.0, 30.0, 60.0]) == [0.1, 0.5, 1.0]
    assert told([0.0, 0.005], [1.0, 4.0]) == [0.0, 0.005]
    assert told([0.0, 0.01], [6.0, 72.0], insists=True) == [0.0, 0.01]
    assert told([0.9], [1000.0]) == [0.9]


def test_what_has_taken_long_is_given_up_unless_most_is_done():
    heard, times = [], iter([0.0, 4.0, 11.0, 12.0])
    progress = refuse_after(10.0, heard.append, clock=lambda: next(times))
    progress(0.1)
    progress(0.8)
    with pytest.raises(TooLarge, match=r"^job: would take more than 10 seconds of computing time; use --patient to allow it$"):
        progress(0.4)
    assert heard == [0.1, 0.8, 0.4]
