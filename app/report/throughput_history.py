"""The history of throughputs: the steps of the session and the throughput after each step."""

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
"""Maximum rows of the table, which shows the last steps."""


@dataclass(frozen=True)
class SessionSteps:
    """A copy of the session's steps so far, unaffected by further steps."""

    names: tuple[str, ...]
    states: tuple[Performance, ...]
    """The throughput at the beginning and after each step."""
    course: Course

    @classmethod
    def of(cls, history: History) -> "SessionSteps | None":
        """Return the steps of a history, or None without steps."""
        if not history.steps:
            return None
        states = tuple(history.states)
        names = tuple(step_name(history, row) for row in range(len(states)))
        return cls(names, states, Course.of(states, history.done, history.forgotten))


def history_section(steps: SessionSteps, size: tuple[int, int]) -> Section:
    """Return the section of the session's steps, with a picture of `size`."""
    course = steps.course
    best, first = course.best, course.first
    done, total = course.done + first, course.steps + first
    lines = [f"{plural(total, 'step')}. This report is on the state after step {done:,}."]
    if best is not None:
        reached = steps.states[best]
        lines.append(f"Best: step {best + first:,}, {rate((reached.gbs,), (reached.seconds,), course.unit)}.")
    picture = PicturePlace("history", "History", size, "Throughput after each step.")
    return Section("history", "History of throughputs", [Words(lines), Pictures([picture], wide=True), _listed(steps)])


def _listed(steps: SessionSteps) -> ReportPart:
    heads = (
        TableHead("Step"),
        TableHead("Change", number=False),
        TableHead("Throughput", steps.course.unit),
        TableHead("Time"),
    )
    rows = []
    for number, (name, reached) in enumerate(zip(steps.names, steps.states, strict=True), start=steps.course.first):
        time = DASH if reached.seconds is None else duration(reached.seconds)
        rows.append((f"{number:,}", name, rate_text(reached.gbs), time))
    omitted = max(len(rows) - MAX_ROWS, 0)
    timed = any(reached.seconds is not None for reached in steps.states)
    table = Table(heads if timed else heads[:-1], rows[omitted:], strong=steps.course.done - omitted)
    return table_or_folded(f"Last {MAX_ROWS} steps" if omitted else "All steps", table)
