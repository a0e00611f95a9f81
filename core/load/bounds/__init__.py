"""Lower bounds on the time t of a job that no mapping can beat."""

from core.load.bounds.bound import Bound, Gap, gap
from core.load.bounds.lower_bounds import bounded, bounds, class_bound

__all__ = ["Bound", "Gap", "bounded", "bounds", "class_bound", "gap"]
