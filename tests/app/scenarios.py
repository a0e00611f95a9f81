"""What many tests begin with."""

from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import ModColour
from core.network import Percs
from core.routing import PercsDirect

HALO = Scenario(Percs(), Halo(), ModColour(), PercsDirect())
"""The worked example: 64 × 64 tasks on 32 supernodes."""
