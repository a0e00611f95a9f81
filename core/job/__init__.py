"""Who sends what to whom: one file per pattern, `patterns` lists them; a sequence is made of them."""

from core.job.patterns import *  # noqa: F403
from core.job.patterns import AnyPattern as AnyPattern
from core.job.sequence import AnyPart as AnyPart
from core.job.sequence import Pause as Pause
from core.job.sequence import Sequence as Sequence

AnyJob = AnyPattern | Sequence
