import json

import msgspec
import pytest

from app.model.scenes import Tour
from app.storage.tours import SUFFIX
from app.tour.arrangement import arranged
from app.tour.tour_file import decode_tour, encode_tour, plain_scenario, read_tour, scenario_of_scene, write_tour
from core.files import read_scenario, write_scenario
from core.spec import SpecError

FIRST = {"title": "Coloured", "id": "coloured", "scenario": "power775-halo", "text": "{throughput_gbs} GB/s"}
NEXT = {"title": "In order", "changes": {"mapping": {"type": "sequential"}}}


def tour_of(*scenes: object, **more: object) -> Tour:
    return decode_tour(json.dumps({"fabriscope_tour": 1, "title": "Talk", "scenes": scenes, **more}).encode())


def test_scene_contains_changes_to_the_previous_scene():
    tour = tour_of(FIRST, NEXT, {"title": "Same again"})
    first, second, third = (scenario_of_scene(scene, None) for scene in tour.scenes)
    assert first.mapping.tag() == "mod-colour"
    assert second.mapping.tag() == third.mapping.tag() == "sequential"
    assert second.with_choice("mapping", first.mapping) == first


def test_duplicate_key_is_refused_also_inside_a_scene():
    for plain in (b'"title": "Talk"', b'"scenario": "power775-halo"'):
        content = json.dumps({"fabriscope_tour": 1, "title": "Talk", "scenes": [FIRST]}).encode()
        assert content.count(plain) == 1
        key = plain.split(b":")[0].strip(b'"').decode()
        with pytest.raises(SpecError, match=f"file: the key '{key}' occurs twice in one object; remove one of them"):
            decode_tour(content.replace(plain, plain + b", " + plain))


def test_null_removes_a_choice():
    slow = {"title": "Slow", "changes": {"faults": [{"type": "link", "src": 0, "dst": 1, "speed": 0.5}]}}
    tour = tour_of(FIRST, slow, {"title": "Sound", "changes": {"faults": None}})
    assert "faults" in tour.scenes[1].scenario
    assert "faults" not in tour.scenes[2].scenario


def test_tour_is_unchanged_after_writing_and_reading(tmp_path):
    tour = tour_of(FIRST, NEXT, {"title": "Torus", "scenario": "torus-8x8x8-halo"}, {"title": "Still"})
    write_tour(tmp_path / f"talk{SUFFIX}", tour)
    assert read_tour(tmp_path / f"talk{SUFFIX}") == tour
    written = json.loads(encode_tour(tour))["scenes"]
    assert written[1]["changes"] == NEXT["changes"]
    assert "scenario" not in written[1]
    assert written[2]["scenario"]["network"]["type"] == "torus"
    assert written[3]["changes"] == {}


def test_scenes_can_name_scenario_files_in_the_folder_of_the_tour(tmp_path):
    scenario = scenario_of_scene(tour_of(FIRST).scenes[0], None)
    write_scenario(tmp_path / "mine.fabriscope.json", scenario)
    tour = {"fabriscope_tour": 1, "title": "Talk", "scenes": [{**FIRST, "scenario": "mine.fabriscope.json"}]}
    (tmp_path / f"talk{SUFFIX}").write_text(json.dumps(tour))
    scenario_beside = scenario_of_scene(read_tour(tmp_path / f"talk{SUFFIX}").scenes[0], tmp_path)
    assert scenario_beside == read_scenario(tmp_path / "mine.fabriscope.json")
    assert plain_scenario(scenario_beside) == plain_scenario(scenario)


def test_invalid_scenario_is_refused_only_when_it_is_shown():
    tour = tour_of(FIRST, {"title": "Broken", "changes": {"mapping": {"type": "nonsense"}}}, NEXT)
    with pytest.raises(SpecError, match=r"mapping\.type: unknown type 'nonsense'"):
        scenario_of_scene(tour.scenes[1], None)
    assert scenario_of_scene(tour.scenes[2], None).mapping.tag() == "sequential"


@pytest.mark.parametrize(
    ("scene", "message"),
    [
        ({"titel": "x"}, "scenes[0].titel: is not a known field; fields: title, text"),
        ({"views": [{"view": "machin"}]}, "scenes[0].views[0].view: 'machin' is not known; did you mean machine?"),
        (
            {"views": [{"view": "machine", "size": 1}]},
            "scenes[0].views[0].size: is not a known field; fields: view, sh",
        ),
        ({"views": []}, "scenes[0].views: expected array of length >= 1"),
        (
            {"scenario": "nothing"},
            "scenes[0].scenario: 'nothing' is neither a preset nor a scenario file in the tour's folder",
        ),
        ({"scenario": "../x.fabriscope.json"}, "scenes[0].scenario: '../x.fabriscope.json' is neither a preset"),
        ({"scenario": None}, "scenes[0].scenario: is missing; the first scene needs a complete scenario"),
        ({"changes": {}}, "scenes[0].changes: cannot be combined with scenario"),
        ({"against": "blocks"}, "scenes[0].against: no scene has the ID 'blocks'; choices: coloured"),
        ({"scale": {"frozen": "blocks"}}, "scenes[0].scale.frozen: no scene has the ID 'blocks'"),
        ({"scale": {"map": "jet"}}, "scenes[0].scale.map: 'jet' is not known"),
        ({"step": 0}, "scenes[0].step: expected int >= 1"),
    ],
)
def test_error_is_one_line(scene, message):
    with pytest.raises(SpecError) as refused:
        tour_of({**FIRST, **scene})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("text", ["a { alone", "{throughput_gbs:.3q}", "{open('x')}", "x" * 30_000])
def test_any_typed_text_can_be_saved_and_read(tmp_path, text):
    scene = {**FIRST, "title": text, "text": text, "notes": text, "claims": [text[:2000]]}
    tour = tour_of(scene)
    write_tour(tmp_path / f"talk{SUFFIX}", tour)
    assert read_tour(tmp_path / f"talk{SUFFIX}") == tour
    assert tour.scenes[0].text == tour.scenes[0].notes == tour.scenes[0].title == text


def test_ids_of_scenes_are_unique():
    with pytest.raises(SpecError, match=r"scenes\[1\]\.id: 'coloured' is used by another scene"):
        tour_of(FIRST, FIRST)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "file: is not a valid tour"),
        (b"\xff\xfe", "file: is not a valid tour"),
        (b"[]", "file: expected object, got array"),
        (b"{}", "fabriscope_tour: is missing; it is the version of the file format, 1"),
        (b'{"fabriscope_tour": 2}', "fabriscope_tour: must be 1"),
        (b"[" * 100_000, "file: "),
    ],
)
def test_file_without_a_tour_is_refused(content, message):
    with pytest.raises(SpecError) as refused:
        decode_tour(content)
    assert str(refused.value).startswith(message)


def test_areas_are_proportional_to_shares():
    shares = (3, 1, 2)
    rectangles = arranged(shares)
    areas = [width * height for _, _, width, height in rectangles]
    assert areas == pytest.approx([share / sum(shares) for share in shares])
    assert arranged((5,)) == [(0, 0, 1, 1)]


def test_every_field_is_read_back():
    full = {
        **FIRST,
        "notes": "slowly", "views": [{"view": "machine", "share": 2.0}, {"view": "matrix"}],
        "camera": {"focus": "supernode 3", "zoom": 2.0, "shift": [1.0, 2.0]}, "selection": "supernode 3",
        "hottest_percent": 10.0, "scale": {"map": "batlow", "log": True, "frozen": "coloured"}, "step": 2,
        "against": "coloured", "compare": "difference", "claims": ["nodes == 1024"],
        "editing": True, "minutes": 1.5, "link_values": "difference",
    }  # fmt: skip
    tour = tour_of(full, note="of two scenes", minutes=12.0)
    assert decode_tour(encode_tour(tour)) == tour
    assert msgspec.to_builtins(tour)["scenes"][0]["camera"]["zoom"] == 2.0
