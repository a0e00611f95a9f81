"""Work in steps in the GUI thread: events are handled between steps, and errors end the work."""

import pytest
from PySide6.QtCore import QTimer

from app.background.steps import Steps
from core.spec import SpecError


def counting(seen, steps=3, error=None):
    for number in range(steps):
        seen.append(number)
        yield
    if error is not None:
        raise error
    return "done"


def test_events_are_handled_between_steps(qtbot):
    steps, seen, results = Steps(pytest.fail), [], []
    steps.run(counting(seen), results.append)
    QTimer.singleShot(0, lambda: seen.append("event"))
    assert steps.busy
    qtbot.waitUntil(lambda: results == ["done"])
    assert seen == ["event", 0, 1, 2]
    assert not steps.busy


def test_sync_work_is_done_immediately(qapp):
    seen, results = [], []
    Steps(pytest.fail, sync=True).run(counting(seen), results.append)
    assert (seen, results) == ([0, 1, 2], ["done"])


def test_new_work_replaces_the_current_work(qtbot):
    steps, results = Steps(pytest.fail), []
    steps.run(counting([]), lambda result: results.append("first"))
    steps.run(counting([]), lambda result: results.append("second"))
    qtbot.waitUntil(lambda: bool(results))
    assert results == ["second"]


@pytest.mark.parametrize("error", [SpecError("--out", "too large"), ValueError("a bug")], ids=["refused", "bug"])
def test_an_error_ends_the_work(qapp, error):
    failed, results = [], []
    steps = Steps(failed.append, sync=True)
    work = counting([], error=error)
    if isinstance(error, SpecError):
        steps.run(work, results.append)
    else:
        with pytest.raises(ValueError, match="a bug"):
            steps.run(work, results.append)
    assert failed == ([error] if isinstance(error, SpecError) else [])
    assert results == []
    assert not steps.busy


def test_errors_of_the_given_types_are_passed_on(qapp):
    failed, error = [], ValueError("a bug")
    Steps(failed.append, takes=Exception, sync=True).run(counting([], error=error), pytest.fail)
    assert failed == [error]
