"""What is wired to what: one file per network family."""

from core.network.families.circulant import Circulant
from core.network.families.clex import Clex
from core.network.families.complete import Complete
from core.network.families.dragonfly import Dragonfly
from core.network.families.edges import Edges
from core.network.families.fat_tree import FatTree
from core.network.families.hypercube import Hypercube
from core.network.families.percs import Percs
from core.network.families.shortcut import Shortcut
from core.network.families.torus import Lattice, Mesh, Torus
from core.network.faults import AnyFault, BundleFault, Faults, LinkFault, NodeFault
from core.network.network import Cut, Level, LinkClass, Network, NetworkSpec

AnyNetwork = Percs | Torus | Mesh | Hypercube | FatTree | Dragonfly | Complete | Circulant | Shortcut | Clex | Edges

__all__ = [
    "AnyFault",
    "AnyNetwork",
    "BundleFault",
    "Circulant",
    "Clex",
    "Complete",
    "Cut",
    "Dragonfly",
    "Edges",
    "FatTree",
    "Faults",
    "Hypercube",
    "Lattice",
    "Level",
    "LinkClass",
    "LinkFault",
    "Mesh",
    "Network",
    "NetworkSpec",
    "NodeFault",
    "Percs",
    "Shortcut",
    "Torus",
]
