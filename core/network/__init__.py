"""Networks: nodes, switches and links; one module per family."""

from core.network.added_cables import AddedCable as AddedCable
from core.network.families.bcube import BCube as BCube
from core.network.families.circulant import Circulant as Circulant
from core.network.families.clex import Clex as Clex
from core.network.families.complete import Complete as Complete
from core.network.families.dragonfly import Dragonfly as Dragonfly
from core.network.families.dragonfly_plus import DragonflyPlus as DragonflyPlus
from core.network.families.edges import Edges as Edges
from core.network.families.fat_tree import FatTree as FatTree
from core.network.families.hypercube import Hypercube as Hypercube
from core.network.families.hyperx import HyperX as HyperX
from core.network.families.percs import Percs as Percs
from core.network.families.rail import Rail as Rail
from core.network.families.shortcut import Shortcut as Shortcut
from core.network.families.slim_fly import SlimFly as SlimFly
from core.network.families.torus import Lattice as Lattice
from core.network.families.torus import Mesh as Mesh
from core.network.families.torus import Torus as Torus
from core.network.families.twisted_torus import TwistedTorus as TwistedTorus
from core.network.families.xgft import Xgft as Xgft
from core.network.faults import AnyFault as AnyFault
from core.network.faults import BundleFault as BundleFault
from core.network.faults import Faults as Faults
from core.network.faults import LinkFault as LinkFault
from core.network.faults import NodeFault as NodeFault
from core.network.network import Cut as Cut
from core.network.network import Level as Level
from core.network.network import LinkClass as LinkClass
from core.network.network import Network as Network
from core.network.network import NetworkSpec as NetworkSpec

AnyNetwork = (
    Percs
    | Torus
    | Mesh
    | Hypercube
    | TwistedTorus
    | FatTree
    | Xgft
    | BCube
    | Dragonfly
    | DragonflyPlus
    | HyperX
    | SlimFly
    | Rail
    | Complete
    | Circulant
    | Shortcut
    | Clex
    | Edges
)
