"""The history of throughputs: the steps of the session and the throughput after each."""

from dataclasses import dataclass

from app.model.history import History
from app.model.performance import Performance
from app.report.document import PicturePlace, Pictures, ReportPart, Section, Table, TableHead, Words, table_or_folded
from app.report.loads import DASH, rate_text
from app.views.charts.history_curve import Course
from app.views.charts.history_table import step_name
from app.wording.numbers import rate
from core.text import duration, plural

MAX_ROWS = 200
"""Maximum rows of the table; the last steps are shown."""


@dataclass(frozen=True)
class SessionSteps:
    """The session's steps so far: a copy, unaffected by further steps."""

    names: tuple[str, ...]
    states: tuple[Performance, ...]
    """The throughput at the beginning and after each step."""
    course: Course

    @classmethod
    def of(cls, history: History) -> "SessionSteps | None":
        """Return the steps of a history, or None if it has no steps."""
        if not history.steps:
            return None
        states = tuple(history.states)
        names = tuple(step_name(history, row) for row in range(len(states)))
        return cls(names, states, Course.of(states, history.done, history.forgotten))


def history_section(steps: SessionSteps, size: tuple[int, int]) -> Section:
    """Return the section of the session's steps, with a picture of `size`."""
    course = steps.course
    best, first = course.best, course.first
    done, steps_in_all = course.done + first, course.steps + first
    lines = [f"{plural(steps_in_all, 'step')}; this report is of the state after step {done:,}."]
    if best is not None:
        reached = steps.states[best]
        lines.append(f"The best is step {best + first:,}, {rate((reached.gbs,), (reached.seconds,), course.unit)}.")
    picture = PicturePlace("history", "History", size, "The throughput after each step.")
    return Section("history", "History of throughputs", [Words(lines), Pictures([picture], wide=True), _listed(steps)])


def _listed(steps: SessionSteps) -> ReportPart:
    heads = (
        TableHead("Step"),
        TableHead("What was done", number=False),
        TableHead("Throughput", steps.course.unit),
        TableHead("Time"),
    )
    rows = []
    for number, (name, reached) in enumerate(zip(steps.names, steps.states, strict=True), start=steps.course.first):
        took = DASH if reached.seconds is None else duration(reached.seconds)
        rows.append((f"{number:,}", name, rate_text(reached.gbs), took))
    left_out = max(len(rows) - MAX_ROWS, 0)
    timed = any(reached.seconds is not None for reached in steps.states)
    table = Table(heads if timed else heads[:-1], rows[left_out:], strong=steps.course.done - left_out)
    return table_or_folded(f"The last {MAX_ROWS} steps" if left_out else "All steps", table)
