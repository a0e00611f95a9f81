"""Fair share: no barrier; a rank continues when its own messages are sent and received, and flows share links fairly.

In each step a rank pauses if the step requires it, then sends all its messages of the step at once, whether or not the
receivers have begun it. It begins the next step when these are sent and its own messages of the step have arrived.
Jobs with their own order (`core.job.order`), such as schedules of GPUs, have thread blocks and operations instead.
While messages are being sent their rates are max-min fair (Bertsekas and Gallager, "Data Networks", 1992, section
6.5.2): all rates rise together until a link is full, then the rates of flows that do not cross it. A message routed
over several paths has one rate, of which each link carries its share. A limit on a node's sending or receiving is
modelled as one more link.

A message that crosses h links (on average, over several paths) arrives (h + 1) latencies after it has been sent, as
under a barrier. So where all ranks send one message of the same volume in each phase, over equally many and equally
loaded links, times equal `BarrierTiming`. A message between tasks of one node takes one latency, a message from
a task to itself nothing. Disconnected flows load nothing and count as sent.
"""

from typing import ClassVar

import numpy as np

from core.load.scenario import Case
from core.routing.flows import Volumes
from core.spec import Progress, no_progress
from core.timing.paths import Paths
from core.timing.replay import DONE, Play, played, rank_times, simulate
from core.timing.routed import FOUND, routed_messages
from core.timing.timeline import Timeline
from core.timing.timing import TimingSpec

WORK = 1 << 22
"""Approximate number of path links processed between two calls of progress: some ten milliseconds."""


class FairShare(TimingSpec, frozen=True, tag="fair-share"):
    """Fair share: a rank continues when its own messages are sent and received; flows share links max-min fairly."""

    title: ClassVar[str] = "Fair share"

    def summary(self) -> str:
        """Return the model in words."""
        return "each rank or thread block waits for its own messages, which share links fairly"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs: from the earliest start of a message to the last arrival.

        Raises TooLarge: if there are more messages than can be followed. Raises SpecError: if nodes are aggregated.
        Raises Cancelled: when `progress` does.
        """
        counted, routed = routed_messages(self, case, progress)
        messages, (paths, capacity) = routed.messages, _in_use(routed.paths, routed.capacity)
        pauses = np.array([phase.pause_seconds for phase in case.job.phases])
        order = case.job.order
        each = pauses if order is None else np.zeros(np.diff(order.start).max(initial=1))
        play = Play.of(messages, paths, capacity, pauses.size, each)
        events = max(WORK // max(paths.links.size, 1), 1)
        steps = max(messages.step.size, 1)
        while simulate(play, events):
            progress(FOUND + (1 - FOUND) * int(play.clock.counts[DONE]) / steps)
        progress(1.0)
        begin, end = played(play)
        if order is not None:
            return counted.retimed(begin, end)
        times, silent = rank_times(play), np.isinf(begin)
        begin = np.where(silent, times[:-1].min(axis=1), begin)
        return counted.retimed(begin, np.where(silent, times[1:].max(axis=1), end), times)


def _in_use(paths: Paths, capacity: Volumes) -> tuple[Paths, Volumes]:
    # Drop unused links, and renumber the others.
    used, links = np.unique(paths.links, return_inverse=True)
    return paths._replace(links=links.astype(np.int32)), capacity[used]
