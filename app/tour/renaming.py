"""Ids of scenes: validation, and renaming wherever other scenes use them."""

import re

import msgspec

from app.model.scenes import Name, Scene, Tour
from app.tour.expression import FIELD
from app.tour.tour_file import checked_tour

RULE = "An ID has at most 50 letters, digits and underscores and begins with a letter, as in fat_tree_2."


def id_error(name: str, number: int, tour: Tour) -> str:
    """Return why a scene cannot have the id `name`; empty if it can."""
    if not name:
        return ""
    try:
        msgspec.convert(name, Name)
    except msgspec.ValidationError:
        return RULE
    other = tour.number(name)
    return f"Scene {other + 1} has this ID; IDs must be unique." if other not in (None, number) else ""


def with_id(tour: Tour, number: int, name: str) -> Tour:
    """Return the tour with another id of a scene, also in the captions, claims and comparisons that use it.

    Raises SpecError: if another scene is compared with a scene without an id.
    """
    old = tour.scenes[number].id
    scenes = list(tour.scenes)
    if old is not None and name:
        scenes = [_renamed(other, old, name) for other in scenes]
    scenes[number] = msgspec.structs.replace(scenes[number], id=name or None)
    return checked_tour(msgspec.structs.replace(tour, scenes=tuple(scenes)))


def _renamed(scene: Scene, old: str, new: str) -> Scene:
    path = re.compile(rf"(?<![\w.]){re.escape(old)}(?=\.)")
    scale = scene.scale
    return msgspec.structs.replace(
        scene,
        text=FIELD.sub(lambda match: path.sub(new, match[0]), scene.text),
        claims=tuple(path.sub(new, claim) for claim in scene.claims),
        against=new if scene.against == old else scene.against,
        scale=msgspec.structs.replace(scale, frozen=new) if scale.frozen == old else scale,
    )
