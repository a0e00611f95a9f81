"""Recordings: a scenario and the timed edits of its mapping; playback recomputes all loads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta

from app.model.scenes import Title, TourStruct
from app.tour.tour_file import plain_scenario
from core.files import decode
from core.files.atomic import shown, write_atomically
from core.files.json_file import MAX_BYTES, decoded, without_controls
from core.load.scenario import Scenario
from core.mapping.mapping import Slots
from core.spec import SpecError, place_in

SUFFIX = ".fabriscope-recording.json"
MOVES = "must move tasks of the job to different slots of the machine"


Number = Annotated[int, Meta(ge=0, lt=1 << 31)]


class TimedEdit(TourStruct, frozen=True):
    """Tasks that moved to other slots in one edit."""

    seconds: Annotated[float, Meta(ge=0)]
    """Time since the start of the recording."""
    tasks: tuple[Number, ...]
    slots: tuple[Number, ...]
    """The new slot of each task."""


class Recording(TourStruct, frozen=True):
    """The edits of a mapping."""

    fabriscope_recording: Literal[1]
    title: Title
    scenario: dict[str, Any]
    edits: Annotated[tuple[TimedEdit, ...], Meta(max_length=100_000)]

    def start(self, folder: Path | None = None, *, own: bool = False) -> Scenario:
        """Return the initial scenario; its files must be in `folder`, unless the recording is the user's `own`.

        Raises SpecError: naming the invalid field and the valid values.
        """
        return decode(msgspec.json.encode(self.scenario), folder, own=own)

    def played(self, slots: Slots, limit: int) -> Iterator[tuple[float, Slots]]:
        """Return the time of each change of the mapping and each task's slot after it, given the `slots` at the start.

        Raises SpecError: naming an edit with an unknown task, a slot outside the `limit` slots, or a slot used twice.
        """
        now = slots.copy()
        for number, edit in enumerate(self.edits):
            sound = (
                len(edit.tasks) == len(edit.slots) and _within(edit.tasks, slots.size) and _within(edit.slots, limit)
            )
            if sound:
                now = now.copy()
                now[np.array(edit.tasks, np.int64)] = np.array(edit.slots, np.int64)
            if not sound or np.unique(now).size < now.size:
                raise SpecError(f"edits[{number}]", MOVES)
            yield edit.seconds, now


def _within(numbers: tuple[int, ...], limit: int) -> bool:
    # Python integers, since numbers in a file may have any size.
    return not numbers or (min(numbers) >= 0 and max(numbers) < limit)


def decode_recording(content: bytes) -> Recording:
    """Return the recording in the bytes of a file.

    Raises SpecError: naming the invalid field and the valid values.
    """
    if len(content) > MAX_BYTES:
        raise SpecError("file", f"is larger than {MAX_BYTES >> 20} MiB; record something shorter")
    return decoded(content, Recording, "recording", _refusal)


def _refusal(message: str) -> SpecError:
    problem, place = place_in(message)
    return SpecError(shown(place) or "file", shown(problem.replace("`", "")))


def encode_recording(recording: Recording) -> bytes:
    """Return the file's bytes."""
    return without_controls(msgspec.json.encode(recording)) + b"\n"


def write_recording(path: Path, recording: Recording, field: str = "file") -> None:
    """Write a recording.

    Raises SpecError: under `field`, if it cannot be written or names files outside its folder.
    """
    confined = msgspec.structs.replace(recording, scenario=plain_scenario(recording.start(own=True), path.parent))
    write_atomically(path, encode_recording(confined), field)
