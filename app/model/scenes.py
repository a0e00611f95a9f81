"""A tour and its scenes, as stored in a file (`app.tour.tour_file`)."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from app.model.measurement import SourceId
from app.style.colour import MAPS

SCENES = 500
"""Maximum number of scenes of a tour."""
Title = Annotated[str, Meta(max_length=200)]
Sentence = Annotated[str, Meta(max_length=2000)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", max_length=50)]
"""Identifier of a scene, for captions and claims of other scenes."""

Minutes = Annotated[float, Meta(gt=0, le=1440)]


class TourStruct(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of the structs in a tour file."""


class ViewShare(TourStruct, frozen=True):
    """A view on the stage."""

    view: str
    """Id of `app.model.view_table`."""
    share: Annotated[float, Meta(gt=0, le=1000)] = 1.0
    """Its area on the stage, relative to the other views."""


class Seen(TourStruct, frozen=True):
    """The camera of the machine view; by default the whole machine is visible."""

    focus: str = ""
    """Part of the machine that fills the view, by its name in the window; overrides `zoom` and `shift`."""
    zoom: Annotated[float, Meta(ge=0.1, le=1000)] = 1.0
    """Magnification relative to a view of the entire machine."""
    shift: tuple[float, float] = (0.0, 0.0)
    """Offset of the view's centre from the machine's, in world units to the right and up; used if magnified."""
    azimuth: float | None = None
    elevation: float | None = None
    """Angles, in degrees, from which a solid is seen; None for the default."""


class Scale(TourStruct, frozen=True):
    """The mapping from loads to colours."""

    map: str = next(iter(MAPS))
    log: bool = False
    frozen: Annotated[float, Meta(gt=0)] | Name | None = None
    """The top of the scale: seconds per unit, or the id of the scene with the hottest link; None for the current."""


class Scene(TourStruct, frozen=True):
    """A scenario, how it is shown, and its caption."""

    title: str
    text: str = ""
    """The caption: one or two sentences of Markdown; ``{throughput_gbs}`` is replaced by that figure of the state.

    It is not validated, so that any typed text can be saved and read again.
    """
    notes: str = ""
    """For the presenter only."""
    id: Name | None = None
    """The identifier that other scenes use."""
    scenario: dict[str, Any] | str | None = None
    """A complete scenario, the name of a preset, or the name of a scenario file in the tour's folder."""
    changes: dict[str, Any] | None = None
    """Instead of `scenario`: changes to the scenario of the previous scene; null removes a field."""
    views: Annotated[tuple[ViewShare, ...], Meta(min_length=1, max_length=6)] = (ViewShare("machine"),)
    camera: Seen = Seen()
    selection: str = ""
    """The selected item, by its name in the window."""
    hottest_percent: Annotated[float, Meta(ge=0.01, le=100)] = 100.0
    """Percentage of links and bundles shown in the machine view, hottest first."""
    scale: Scale = Scale()
    link_values: SourceId = "load"
    """The quantity that colours links: load ÷ bandwidth, harm, or a quantity that needs counters in the scenario.

    Harm is the slow-down of the job if the cable of a link fails. Counters have predicted or measured bandwidths, their
    difference, or the wait per GB. A comparison with another scene always shows loads.
    """
    channels: Literal["all"] | Annotated[int, Meta(ge=0)] | None = None
    """The channels of a collective that are drawn on the machine: all, or the number of one; None for none."""
    step: Annotated[int, Meta(ge=1)] | None = None
    """The step of the job shown, from 1; None for the entire job."""
    interval: Annotated[int, Meta(ge=1)] | None = None
    """The interval shown, from 1, of counters that were read several times; None for the entire measurement."""
    against: Name | None = None
    """The scene to compare with, as A."""
    compare: Literal["side", "difference"] = "side"
    editing: bool = False
    """Whether letter keys are commands on the stage, as in the main window; otherwise only keys of the stage work."""
    minutes: Minutes | None = None
    """Its planned time."""
    claims: Annotated[tuple[Sentence, ...], Meta(max_length=50)] = ()
    """Statements to check, such as ``throughput_gbs > 1.9 * blocks.throughput_gbs``; any text can be saved."""


class Tour(TourStruct, frozen=True):
    """A talk: scenes in order."""

    fabriscope_tour: Literal[1]
    title: Title
    scenes: Annotated[tuple[Scene, ...], Meta(min_length=1, max_length=SCENES)]
    note: Annotated[str, Meta(max_length=20_000)] = ""
    minutes: Minutes | None = None
    """The planned time of the talk; None for the sum over its scenes."""

    def number(self, name: str) -> int | None:
        """Return the number of the scene with id `name`, or None."""
        return next((place for place, scene in enumerate(self.scenes) if scene.id == name), None)


def scene_path(number: int) -> str:
    """Return the path in the file, for messages, of a scene by its number from 0."""
    return f"scenes[{number}]"
