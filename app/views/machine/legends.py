"""The legend of colours at the bottom left, and further legends above it: faults, shapes, jobs, dimensions."""

from PySide6.QtCore import QRectF

from app.views.legend import legend_frame
from app.views.machine.axes_key import axes_key_rect, paint_axes_key
from app.views.machine.channel_legend import channels_rect, paint_channel_names
from app.views.machine.faults import meaning_rect, paint_meaning
from app.views.machine.jobs import job_names_rect, paint_job_names
from app.views.machine.node_groups import groups_rect, paint_groups_legend
from app.views.machine.picture import Picture
from app.views.machine.shape_legend import kinds_rect, paint_kinds


def legend_areas(picture: Picture) -> list[QRectF]:
    """Return the rectangles of all legends: no name is written there."""
    above = (
        meaning_rect(picture),
        kinds_rect(picture),
        job_names_rect(picture),
        axes_key_rect(picture),
        groups_rect(picture),
        channels_rect(picture),
    )
    return [legend_frame(picture.size), *(area for area in above if not area.isEmpty())]


def paint_legends_above(picture: Picture) -> None:
    """Draw all legends except the legend of colours."""
    paint_meaning(picture)
    paint_kinds(picture)
    paint_job_names(picture)
    paint_axes_key(picture)
    paint_groups_legend(picture)
    paint_channel_names(picture)
