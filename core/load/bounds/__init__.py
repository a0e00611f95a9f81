"""Lower bounds on the time t of a job that no mapping can beat."""

from core.load.bounds.bound import Bound, Gap, bound_sentence, bound_title, gap, scope
from core.load.bounds.lower_bounds import bounds, class_bound

__all__ = ["Bound", "Gap", "bound_sentence", "bound_title", "bounds", "class_bound", "gap", "scope"]
