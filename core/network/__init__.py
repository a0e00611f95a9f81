"""What is wired to what: one file per network family."""

from core.network.circulant import Circulant
from core.network.clex import Clex
from core.network.complete import Complete
from core.network.dragonfly import Dragonfly
from core.network.edges import Edges
from core.network.fat_tree import FatTree
from core.network.faults import AnyFault, BundleFault, Faults, LinkFault, NodeFault
from core.network.hypercube import Hypercube
from core.network.network import Cut, Level, LinkClass, Network, NetworkSpec
from core.network.percs import Percs
from core.network.shortcut import Shortcut
from core.network.torus import Lattice, Mesh, Torus

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
