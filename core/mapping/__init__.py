"""Which task sits in which slot: one file per strategy family."""

from core.mapping.blocks import Blocks
from core.mapping.explicit import Explicit
from core.mapping.lines import ColumnWise, RowOrColumn, RowWise
from core.mapping.mapping import Mapping, MappingSpec
from core.mapping.nested import NestedBlocks
from core.mapping.percs_blocks.coloured import ColouredBlocks
from core.mapping.percs_blocks.mod_colour import ModColour
from core.mapping.ring import RingConsecutive
from core.mapping.simple import Random, Sequential
from core.mapping.stride import CirculantStride
from core.mapping.tree import HierarchicalTree

AnyMapping = (
    Sequential
    | Blocks
    | ModColour
    | ColouredBlocks
    | NestedBlocks
    | RowWise
    | ColumnWise
    | RowOrColumn
    | Random
    | HierarchicalTree
    | RingConsecutive
    | CirculantStride
    | Explicit
)

__all__ = [
    "AnyMapping",
    "Blocks",
    "CirculantStride",
    "ColouredBlocks",
    "ColumnWise",
    "Explicit",
    "HierarchicalTree",
    "Mapping",
    "MappingSpec",
    "ModColour",
    "NestedBlocks",
    "Random",
    "RingConsecutive",
    "RowOrColumn",
    "RowWise",
    "Sequential",
]
