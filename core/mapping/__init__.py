"""Which task sits in which slot: one file per strategy family."""

from core.mapping.blocks import Blocks
from core.mapping.coloured import ColouredBlocks
from core.mapping.explicit import Explicit
from core.mapping.lines import ColumnWise, RowOrColumn, RowWise
from core.mapping.mapping import Mapping, MappingSpec
from core.mapping.mod_colour import ModColour
from core.mapping.nested import NestedBlocks
from core.mapping.simple import Random, Sequential

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
    | Explicit
)

__all__ = [
    "AnyMapping",
    "Blocks",
    "ColouredBlocks",
    "ColumnWise",
    "Explicit",
    "Mapping",
    "MappingSpec",
    "ModColour",
    "NestedBlocks",
    "Random",
    "RowOrColumn",
    "RowWise",
    "Sequential",
]
