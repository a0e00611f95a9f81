"""Names and colours of the jobs on a machine, which identify them no matter which job is in focus."""

import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Annotated

from msgspec import Meta

from core.job.job import JobSpec

MAX_JOB_NAME = 100
JobName = Annotated[str, Meta(max_length=MAX_JOB_NAME)]
JobColour = Annotated[int, Meta(ge=0, le=1000)]
"""Number of a colour, from 1; 0 for the first colour that no other job has."""


def job_names(given: Sequence[tuple[str, JobSpec]]) -> tuple[str, ...]:
    """Return unique names of jobs, given their names and patterns.

    Jobs without a name are named by their pattern; names that are taken get a number.
    """
    taken = {name for name, _ in given if name}
    names: list[str] = []
    for name, job in given:
        wanted = name or job.title
        free = wanted not in names if name else wanted not in taken
        names.append(wanted if free else next(numbered for numbered in _numbered(wanted) if numbered not in taken))
        taken.add(names[-1])
    return tuple(names)


def job_colours(given: Sequence[int]) -> tuple[int, ...]:
    """Return different colour numbers for jobs, given the preferred numbers; 0 for the first free one."""
    taken = set(given)
    colours: list[int] = []
    for number in given:
        if number and number not in colours:
            colours.append(number)
            continue
        colours.append(next(free for free in count(1) if free not in taken))
        taken.add(colours[-1])
    return tuple(colours)


def named_by_pattern(name: str, job: JobSpec) -> bool:
    """Return whether a job has no name of its own: none, or its pattern's name, perhaps with a number."""
    return not name or re.fullmatch(re.escape(job.title) + r"( \d+)?", name) is not None


def _numbered(name: str) -> Iterator[str]:
    return (f"{name} {number}" for number in count(2))
