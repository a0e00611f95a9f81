import numpy as np
import pytest

from app.storage.presets import preset
from app.tour.recording import Recording, TimedEdit, decode_recording, write_recording
from app.tour.tour_file import plain_scenario
from core.spec import SpecError

SCENARIO = plain_scenario(preset("power775-smallest"))


def recording(*edits):
    return Recording(1, "Swaps", SCENARIO, edits)


def test_recording_is_written_read_and_played(tmp_path):
    recorded = recording(TimedEdit(0.5, (0, 1), (1, 0)), TimedEdit(1.5, (1,), (7,)), TimedEdit(2.0, (0,), (0,)))
    write_recording(tmp_path / "x.json", recorded)
    assert decode_recording((tmp_path / "x.json").read_bytes()) == recorded
    assert recorded.start().network == preset("power775-smallest").network
    played = list(recorded.played(np.array([0, 1, 5], np.int32), 8))
    assert [at for at, _ in played] == [0.5, 1.5, 2.0]
    assert [slots.tolist() for _, slots in played] == [[1, 0, 5], [1, 7, 5], [0, 7, 5]]


def test_files_are_named_as_in_a_scenario_file(tmp_path):
    (tmp_path / "trace.txt").write_text("0 1 5\n")
    scenario = {"network": {"type": "torus", "dims": [2, 2]}, "mapping": {"type": "sequential"},
                "routing": {"type": "dimension-order"}, "fabriscope": 1}  # fmt: skip
    flows = {"type": "flows", "file": str(tmp_path / "trace.txt")}
    recorded = Recording(1, "Traced", {**scenario, "job": flows}, ())
    write_recording(tmp_path / "x.json", recorded)
    assert decode_recording((tmp_path / "x.json").read_bytes()).start(tmp_path).job.file == "trace.txt"
    with pytest.raises(SpecError, match="is outside"):
        recorded.start(tmp_path)
    (tmp_path / "other").mkdir()
    with pytest.raises(SpecError, match="is outside"):
        write_recording(tmp_path / "other" / "x.json", recorded)


@pytest.mark.parametrize(
    "edit",
    [
        ((9,), (0,)),
        ((-1,), (0,)),
        ((0,), (8,)),
        ((0,), (1,)),
        ((0, 1), (3,)),
        ((0, 1), (4, 4)),
        ((2**63,), (0,)),
        ((0,), (2**63,)),
        ((-(2**63) - 1,), (0,)),
        ((0,), (10**400,)),
    ],
)
def test_impossible_edit_is_refused_with_its_number(edit):
    recorded = recording(TimedEdit(0.0, (2,), (6,)), TimedEdit(1.0, *edit))
    with pytest.raises(SpecError, match=r"edits\[1\]: must move tasks of the job to different slots"):
        list(recorded.played(np.array([0, 1, 5], np.int32), 8))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file: is not a valid recording"),
        (b"{}", "file: Object missing required field fabriscope_recording"),
        (b'{"fabriscope_recording":1,"title":"x","scenario":{},"edits":[{"seconds":-1,"tasks":[],"slots":[]}]}',
         "edits[0].seconds: Expected float >= 0.0"),
        (b'{"fabriscope_recording":1,"title":"x","title":"y","scenario":{},"edits":[]}',
         "file: the key 'title' occurs twice in one object"),
        (b" " * ((32 << 20) + 1), "file: is larger than 32 MiB; record something shorter"),
    ],
    ids=["empty", "bare", "negative", "twice", "large"],
)  # fmt: skip
def test_error_is_one_line(content, message):
    with pytest.raises(SpecError) as refused:
        decode_recording(content)
    assert str(refused.value).startswith(message)
