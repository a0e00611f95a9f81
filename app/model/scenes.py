"""A tour and its scenes, as a file holds them (`app.tour.tour_file`)."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.style.colour import MAPS

SCENES = 500
"""Scenes of a tour at most."""
Title = Annotated[str, Meta(max_length=200)]
Sentence = Annotated[str, Meta(max_length=2000)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=50)]
"""What other scenes call this one by, in captions and claims."""


class TourStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A base of what a tour holds."""


class ViewShare(TourStruct, frozen=True):
    """A view on the stage."""

    view: str
    """Id of `app.model.view_table`."""
    share: Annotated[float, Meta(gt=0, le=1000)] = 1.0
    """Its part of the stage, beside those of the others."""


class Seen(TourStruct, frozen=True):
    """From where the machine is looked at; as it stands: all of it is seen."""

    focus: str = ""
    """Part of the machine that fills the view, by its name in the window; goes before what follows."""
    zoom: Annotated[float, Meta(ge=0.1, le=1000)] = 1.0
    """Magnification, relative to that at which the whole machine fits."""
    shift: tuple[float, float] = (0.0, 0.0)
    """World units right of and above the machine's middle that the view's middle shows, where it is magnified."""
    azimuth: float | None = None
    elevation: float | None = None
    """Degrees from which a solid is seen; None: as the program first shows it."""


class Scale(TourStruct, frozen=True):
    """How loads become colours."""

    map: str = next(iter(MAPS))
    log: bool = False
    frozen: Annotated[float, Meta(gt=0)] | Name | None = None
    """Seconds per unit that count as 100 %, or the id of the scene whose hottest link does; None: the hottest now."""


class Scene(TourStruct, frozen=True):
    """One state of a machine and its job, how it is looked at, and what is said of it."""

    title: Title
    text: Sentence = ""
    """One or two sentences, Markdown; ``{throughput_gbs}`` stands for that figure of the state on the stage."""
    notes: Annotated[str, Meta(max_length=20_000)] = ""
    """For the speaker alone."""
    id: Name | None = None
    """What other scenes call it by."""
    scenario: dict[str, Any] | str | None = None
    """A whole scenario, as in its file; the name of a preset, or of a scenario file beside the tour."""
    changes: dict[str, Any] | None = None
    """Or what is chosen otherwise than in the scene before; null takes a choice away."""
    views: Annotated[tuple[ViewShare, ...], Meta(min_length=1, max_length=6)] = (ViewShare("machine"),)
    camera: Seen = Seen()
    selection: str = ""
    """What is chosen, by its name in the window."""
    hottest_percent: Annotated[float, Meta(ge=0.01, le=100)] = 100.0
    """Links and bundles shown in the machine view: the hottest so many percent."""
    scale: Scale = Scale()
    step: Annotated[int, Meta(ge=1)] | None = None
    """Step of the job that is looked at, from 1 on; None: the whole job."""
    against: Name | None = None
    """Scene that it is compared with, as A."""
    compare: Literal["side", "difference"] = "side"
    claims: Annotated[tuple[Sentence, ...], Meta(max_length=50)] = ()
    """What the text says of the figures, as comparisons: ``throughput_gbs > 1.9 * blocks.throughput_gbs``."""


class Tour(TourStruct, frozen=True):
    """A talk: scenes in order."""

    fabriscope_tour: Literal[1]
    title: Title
    scenes: Annotated[tuple[Scene, ...], Meta(min_length=1, max_length=SCENES)]
    note: Annotated[str, Meta(max_length=20_000)] = ""

    def number(self, name: str) -> int | None:
        """Return the place of the scene of that id; None: there is none."""
        return next((place for place, scene in enumerate(self.scenes) if scene.id == name), None)


def place_of(number: int) -> str:
    """Return what messages call a scene, counted from 0 on: its place in the file."""
    return f"scenes[{number}]"
