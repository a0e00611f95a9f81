"""The planned times of a talk, and how far the speaker is ahead or behind."""

from typing import Literal, NamedTuple

from app.model.scenes import Tour

Status = Literal["on time", "behind", "over time"]


class Plan(NamedTuple):
    """Planned times, in seconds from the beginning of the talk."""

    ends: tuple[float, ...]
    """The end of each scene."""
    total: float

    @classmethod
    def of(cls, tour: Tour) -> "Plan | None":
        """Return the plan of a tour, or None if it has no planned times.

        Scenes without a planned time share the remaining time of the tour equally.
        """
        given = [scene.minutes for scene in tour.scenes]
        if tour.minutes is None and not any(given):
            return None
        rest = max((tour.minutes or 0.0) - sum(minutes or 0.0 for minutes in given), 0.0)
        share = rest / max(given.count(None), 1)
        ends, end = [], 0.0
        for minutes in given:
            end += 60 * (share if minutes is None else minutes)
            ends.append(end)
        return cls(tuple(ends), max(end, 60 * (tour.minutes or 0.0)))

    def text(self, number: int) -> str:
        """Return the planned times in two lines: ``of 12:00``, ``scene 3 planned until 5:00``."""
        return f"of {clock_text(self.total)}\nscene {number + 1} planned until {clock_text(self.ends[number])}"

    def status(self, number: int, seconds: float) -> tuple[Status, str]:
        """Return the status of a speaker who is at scene `number` after `seconds`, and its text."""
        if seconds > self.total:
            return "over time", f"over time by {clock_text(seconds - self.total)}"
        if seconds > self.ends[number]:
            return "behind", f"behind by {clock_text(seconds - self.ends[number])}"
        return "on time", "on time"


def clock_text(seconds: float) -> str:
    """Return a time as minutes and seconds: ``4:10``."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
