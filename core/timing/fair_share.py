"""Fair share: no barrier; a rank goes on when its own messages are sent and received, and flows share links fairly.

A rank begins a step, pauses if the step says so, and sends all its messages of the step at once, whether or not the
receivers are there yet. It begins the next when these are sent and those of the step that are for it have arrived.
While messages are being sent their rates are max-min fair (Bertsekas and Gallager, "Data Networks", 1992, section
6.5.2): all rates rise alike until a link is full, then those of all others. A message whose routing has several paths
has one rate, of which each link carries its share. The limit on what a node sends or receives is one more link each.

The last of a message arrives (h + 1) latencies after it has been sent, if it crosses h links (as under a barrier;
on average, where it has several paths). So where all ranks send one message of the same volume in each phase, over
links equally loaded and equally many, times are those of `BarrierTiming`. Between tasks of one node there is that one
latency and nothing else, from a task to itself nothing at all; what failed links cut takes no part, but counts as sent.
"""

from typing import ClassVar

import numpy as np

from core.load.scenario import Case
from core.routing.flows import Volumes
from core.spec import Progress, no_progress
from core.timing.paths import Paths
from core.timing.replay import DONE, Play, advance, played
from core.timing.routed import FOUND, routed_messages
from core.timing.timeline import Timeline
from core.timing.timing import TimingSpec

WORK = 1 << 22
"""Links of paths looked at between two calls of progress, about: some ten milliseconds."""


class FairShare(TimingSpec, frozen=True, tag="fair-share"):
    """Fair share: a rank goes on when its own messages are sent and received; flows share links max-min fairly."""

    title: ClassVar[str] = "Fair share"

    def summary(self) -> str:
        """Return what counts."""
        return "each rank waits for its own messages, which share links fairly"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs: from when its first message may start to when its last has arrived.

        Raises TooLarge: if there are more messages than can be followed. Raises SpecError: where a node stands for
        many. Raises Cancelled: when `progress` does.
        """
        counted, found = routed_messages(self, case, progress)
        messages, (paths, capacity) = found.messages, _in_use(found.paths, found.capacity)
        play = Play.of(messages, paths, capacity, np.array([phase.pause_seconds for phase in case.job.phases]))
        events = max(WORK // max(paths.links.size, 1), 1)
        whole = max(messages.step.size, 1)
        while advance(play, events):
            progress(FOUND + (1 - FOUND) * int(play.clock.counts[DONE]) / whole)
        progress(1.0)
        begin, end = played(play)
        return counted.retimed(begin, end, play.ranks.times)


def _in_use(paths: Paths, capacity: Volumes) -> tuple[Paths, Volumes]:
    # Only the links in use, numbered anew.
    used, links = np.unique(paths.links, return_inverse=True)
    return paths._replace(links=links.astype(np.int32)), capacity[used]
