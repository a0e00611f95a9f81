"""Tour files: JSON, version 1. In memory each scene has a complete scenario; the file contains only changes."""

import re
from pathlib import Path
from typing import Any

import msgspec

from app.model.scenes import Scale, Scene, Seen, Tour, ViewShare, scene_path
from app.model.view_table import SPECS
from app.storage.presets import preset_names, preset_text
from app.style.colour import MAPS
from core.files import SUFFIX as SCENARIO_SUFFIX
from core.files import decode, encode
from core.files.atomic import shown, write_atomically
from core.files.json_file import decoded, without_controls
from core.files.scenario_file import content_of
from core.load.scenario import Scenario
from core.load.snapshots import bare
from core.spec import SpecError, place_in
from core.text import known_names

VERSION = 1
WITH_ERRORS = 1
"""Exit status of commands if a scene, a caption or a claim of the tour has an error."""
KINDS: dict[str, type[msgspec.Struct]] = {"scenes": Scene, "views": ViewShare, "camera": Seen, "scale": Scale}
"""The struct at a path of the file, by the last name in the path."""


def read_tour(path: Path) -> Tour:
    """Return the tour in a file; ``-`` is standard input.

    An invalid scenario is reported only when its scene is shown; see `scenario_of_scene`.

    Raises SpecError: naming the invalid field and the valid values, or ``file`` if there is no tour to read.
    """
    return decode_tour(content_of(path), path.parent)


def decode_tour(content: bytes, folder: Path | None = None) -> Tour:
    """Return the tour in the bytes of a file whose scenes may name scenario files in `folder`.

    Raises SpecError: naming the invalid field and the valid values.
    """
    return checked_tour(_expanded(decoded(content, Tour, "tour", _refusal), folder))


def checked_tour(tour: Tour) -> Tour:
    """Check and return a tour; errors in captions and claims are reported only where they are shown.

    Raises SpecError: if a name in it is unknown, or two scenes share an id.
    """
    ids = [scene.id for scene in tour.scenes if scene.id is not None]
    for number, scene in enumerate(tour.scenes):
        place = scene_path(number)
        if scene.id is not None and tour.number(scene.id) != number:
            raise SpecError(f"{place}.id", f"{scene.id!r} is used by another scene; IDs must be unique")
        for k, view in enumerate(scene.views):
            if view.view not in SPECS:
                raise SpecError(
                    f"{place}.views[{k}].view", f"{shown(view.view)!r} is not known; {_view_names(view.view)}"
                )
        if scene.scale.map not in MAPS:
            hint = known_names(scene.scale.map, tuple(MAPS))
            raise SpecError(f"{place}.scale.map", f"{shown(scene.scale.map)!r} is not known; {hint}")
        frozen = scene.scale.frozen if isinstance(scene.scale.frozen, str) else None
        for field, name in (("against", scene.against), ("scale.frozen", frozen)):
            if name is not None and name not in ids:
                raise SpecError(f"{place}.{field}", f"no scene has the ID {name!r}; {known_names(name, ids)}")
    return tour


def _view_names(view: str) -> str:
    return known_names(view, tuple(SPECS))


def scenario_of_scene(scene: Scene, folder: Path | None) -> Scenario:
    """Return the scenario of a scene, whose files are in `folder`.

    Raises SpecError: naming the invalid field and the valid values.
    """
    return decode(msgspec.json.encode(scene.scenario), folder)


def plain_scenario(scenario: Scenario, folder: Path | None = None) -> dict[str, Any]:
    """Return the choices of a scenario as in a scene, for a tour in `folder`.

    Raises SpecError: if it names a file in another folder.
    """
    choices: dict[str, Any] = msgspec.json.decode(encode(bare(scenario), folder))
    return choices


def encode_tour(tour: Tour) -> bytes:
    """Return the file's bytes; for consecutive scenes of one network only the changes are written."""
    scenes, before = [], None
    for scene in tour.scenes:
        scenes.append(_brief(scene, before))
        before = scene
    brief = msgspec.structs.replace(tour, scenes=tuple(scenes))
    text = msgspec.json.format(without_controls(msgspec.json.encode(brief)), indent=2)
    return re.sub(rb"\[\n[\s\d.,eE+\-]*\]", lambda match: b" ".join(match.group().split()), text) + b"\n"


def write_tour(path: Path, tour: Tour, field: str = "file") -> bytes:
    """Write a tour file and return its content; the old file is replaced only when the new file is complete.

    Raises SpecError: under `field`, if it cannot be written.
    """
    content = encode_tour(tour)
    write_atomically(path, content, field)
    return content


def _brief(scene: Scene, before: Scene | None) -> Scene:
    if before is None or not isinstance(before.scenario, dict) or not isinstance(scene.scenario, dict):
        return scene
    now, then = scene.scenario, before.scenario
    if now.get("network") != then.get("network"):
        return scene
    changes = {key: value for key, value in now.items() if key not in then or then[key] != value}
    gone = {key: None for key in then if key not in now}
    return msgspec.structs.replace(scene, scenario=None, changes={**changes, **gone})


def _expanded(raw: Tour, folder: Path | None) -> Tour:
    scenes: list[Scene] = []
    for number, scene in enumerate(raw.scenes):
        place = scene_path(number)
        if scene.scenario is not None and scene.changes is not None:
            raise SpecError(f"{place}.changes", "cannot be combined with scenario; give either of them")
        if scene.scenario is None and not scenes:
            raise SpecError(f"{place}.scenario", "is missing; the first scene needs a complete scenario")
        if scene.scenario is None:
            last = scenes[-1].scenario
            assert isinstance(last, dict)
            merged = {**last, **(scene.changes or {})}
            plain = {key: value for key, value in merged.items() if value is not None}
        elif isinstance(scene.scenario, str):
            plain = _named(scene.scenario, folder, f"{place}.scenario")
        else:
            plain = scene.scenario
        scenes.append(msgspec.structs.replace(scene, scenario={"fabriscope": VERSION, **plain}, changes=None))
    return msgspec.structs.replace(raw, scenes=tuple(scenes))


def _named(name: str, folder: Path | None, field: str) -> dict[str, Any]:
    """Return the choices of a preset, or of a scenario file in the tour's folder."""
    if name in preset_names():
        content = preset_text(name)
    elif name.endswith(SCENARIO_SUFFIX) and folder is not None and Path(name).name == name:
        content = content_of(folder / name)
    else:
        hint = known_names(name, preset_names())
        raise SpecError(field, f"{shown(name)!r} is neither a preset nor a scenario file in the tour's folder; {hint}")
    try:
        plain = msgspec.json.decode(content, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise SpecError(field, f"{shown(name)} is not a valid scenario: {shown(str(error))}") from error
    return {key: value for key, value in plain.items() if key not in ("note", "snapshots")}


def _refusal(message: str) -> SpecError:
    problem, place = place_in(message)
    last = re.findall(r"[a-z_]+", place)
    kind = KINDS.get(last[-1], Tour) if last else Tour
    at = f"{place}." if place else ""
    unknown = re.search(r"contains unknown field `(.*)`", problem, re.DOTALL)
    if unknown:
        fields = ", ".join(kind.__struct_fields__)
        return SpecError(f"{at}{shown(unknown[1])}", f"is not a known field; fields: {fields}")
    missing = re.search(r"missing required field `(.*?)`", problem)
    if missing:
        return SpecError(f"{at}{missing[1]}", "is missing" + _hint(missing[1]))
    if place == "fabriscope_tour":
        return SpecError(place, f"must be {VERSION}, the version that this program reads")
    plain = shown(problem.replace("`", "").strip())
    return SpecError(shown(place) or "file", plain[:1].lower() + plain[1:])


def _hint(field: str) -> str:
    return f"; it is the version of the file format, {VERSION}" if field == "fabriscope_tour" else ""
