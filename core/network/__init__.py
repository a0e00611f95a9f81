"""What is wired to what: one file per network family."""

from core.network.circulant import Circulant
from core.network.faults import AnyFault, BundleFault, Faults, LinkFault, NodeFault
from core.network.network import Cut, Level, LinkClass, Network, NetworkSpec
from core.network.percs import Percs
from core.network.torus import Mesh, Torus

AnyNetwork = Percs | Torus | Mesh | Circulant

__all__ = [
    "AnyFault",
    "AnyNetwork",
    "BundleFault",
    "Circulant",
    "Cut",
    "Faults",
    "Level",
    "LinkClass",
    "LinkFault",
    "Mesh",
    "Network",
    "NetworkSpec",
    "NodeFault",
    "Percs",
    "Torus",
]
