"""Jobs: which task sends what to which; one module per pattern, listed in `patterns`; sequences combine them."""

from core.job.patterns import *  # noqa: F403
from core.job.patterns import AnyPattern as AnyPattern
from core.job.sequence import AnyPart as AnyPart
from core.job.sequence import Pause as Pause
from core.job.sequence import Sequence as Sequence

AnyJob = AnyPattern | Sequence
