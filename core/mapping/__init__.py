"""Mappings of tasks to slots, with one module per family of strategies."""

from core.mapping.bisection import RecursiveBisection as RecursiveBisection
from core.mapping.blocks import Blocks as Blocks
from core.mapping.explicit import Explicit as Explicit
from core.mapping.from_file import FromFile as FromFile
from core.mapping.lattice.colouring import LatticeColouring as LatticeColouring
from core.mapping.lines import ColumnWise as ColumnWise
from core.mapping.lines import RowOrColumn as RowOrColumn
from core.mapping.lines import RowWise as RowWise
from core.mapping.logged import Logged as Logged
from core.mapping.mapping import Mapping as Mapping
from core.mapping.mapping import MappingSpec as MappingSpec
from core.mapping.nested import NestedBlocks as NestedBlocks
from core.mapping.node_orders import CirculantStride as CirculantStride
from core.mapping.node_orders import HierarchicalTree as HierarchicalTree
from core.mapping.node_orders import RingConsecutive as RingConsecutive
from core.mapping.percs_blocks.coloured import ColouredBlocks as ColouredBlocks
from core.mapping.percs_blocks.mod_colour import ModColour as ModColour
from core.mapping.rank_order import RankOrder as RankOrder
from core.mapping.round_robin import RoundRobin as RoundRobin
from core.mapping.simple import Random as Random
from core.mapping.simple import Sequential as Sequential
from core.mapping.structured import Structured as Structured
from core.mapping.tree_match import TreeMatch as TreeMatch

AnyMapping = (
    Sequential
    | Blocks
    | ModColour
    | ColouredBlocks
    | LatticeColouring
    | NestedBlocks
    | RowWise
    | ColumnWise
    | RowOrColumn
    | Random
    | RoundRobin
    | RankOrder
    | HierarchicalTree
    | RingConsecutive
    | CirculantStride
    | Structured
    | TreeMatch
    | RecursiveBisection
    | Explicit
    | FromFile
    | Logged
)
