"""What is wired to what: one file per network family."""

from core.network.network import Cut, Level, LinkClass, Network, NetworkSpec
from core.network.percs import Percs
from core.network.torus import Mesh, Torus

AnyNetwork = Percs | Torus | Mesh

__all__ = ["AnyNetwork", "Cut", "Level", "LinkClass", "Mesh", "Network", "NetworkSpec", "Percs", "Torus"]
