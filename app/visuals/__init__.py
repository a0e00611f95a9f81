"""Marks on the machine view: one vispy visual per kind of mark, never one per item."""

from app.visuals.cells import Cells, CellVisual
from app.visuals.gl import instancing_available, use_best_gl
from app.visuals.link_load import LinkLoad, LinkLoadVisual

__all__ = ["CellVisual", "Cells", "LinkLoad", "LinkLoadVisual", "instancing_available", "use_best_gl"]
