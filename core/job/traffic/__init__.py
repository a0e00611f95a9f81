"""Traffic files of other tools, one module per format. Volumes of the same pair of tasks are summed."""

from pathlib import Path

from core.formats import by_ending, recognised


def form_of(path: Path, start: bytes) -> str | None:
    """Return the format of a file, given its beginning, or None if it is not a traffic file."""
    form = recognised(start)
    form = form if form is not None and form.part == "job" else by_ending(path.name, "job")
    return form.id if form is not None and not form.job else None
