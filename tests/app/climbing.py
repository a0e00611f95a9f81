"""Stand-ins for the search: a slow and obvious one, and one that continues when a test lets it."""

import threading

import numpy as np

from core.load.live import LiveLoads
from core.mapping.edit import edit_between, occupants, swapped
from core.mapping.mapping import Mapping
from core.optimise.request import SearchResult
from core.spec import Cancelled


def climb(report, request, listen, after=None):
    """Swap the tasks of two random nodes if that reduces the time, again and again; report every attempt."""
    live, rng = LiveLoads(report), np.random.default_rng(request.seed)
    start = live.time
    if after is not None:
        live.apply(edit_between(live.mapping, Mapping(after.slots, live.mapping.slots_per_node)))
    best = live.time
    steps = 0
    try:
        while steps < (request.steps or 50):
            steps += 1
            edit = random_swap(live.mapping, report.case.network.slots, rng)
            if live.preview(edit).time < best:
                live.apply(edit)
                best = live.time
            listen(SearchResult(live.mapping.slots, start, best, best, steps / 100, steps))
    except Cancelled:
        pass
    return SearchResult(live.mapping.slots, start, best, best, steps / 100, steps, ended=True)


def random_swap(mapping, slots, rng):
    first, second = rng.choice(slots, 2, replace=False)
    return swapped(mapping, [first], [second], occupants(mapping, slots))


class Stepwise:
    """A search that reports the given mappings, each when the test calls `go`, until it is stopped."""

    def __init__(self, *mappings):
        self.mappings = mappings
        self.gate = threading.Semaphore(0)
        self.stopped = threading.Event()
        self.calls = []
        self.finish = False

    def __call__(self, report, request, listen, after=None):
        self.calls.append((report, request, after))
        start = figure = report.time
        best, told = report.case.mapping.slots, 0
        try:
            while not (self.finish and told == len(self.mappings)):
                if self.gate.acquire(timeout=0.01) and told < len(self.mappings):
                    best, figure = self.mappings[told]
                    told += 1
                listen(SearchResult(best, start, figure, figure * 1.1, told / 10, told * 1000))
        except Cancelled:
            self.stopped.set()
        return SearchResult(best, start, figure, figure, told / 10, told * 1000, ended=True, checkpoint=told)

    def go(self, last=False):
        self.finish = last
        self.gate.release()
