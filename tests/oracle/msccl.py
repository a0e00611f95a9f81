"""MSCCL schedules, read and executed step by step: an event loop that checks all steps again after every event.

A thread block begins a step when the previous one is done, the step that it waits for is done, and the message that
it receives has arrived. A step is done when its message has been sent. Messages share links by progressive filling.
"""

from collections import defaultdict
from math import inf
from xml.etree import ElementTree

import numpy as np

from tests.oracle.fair_share import CLOSE, rates

SENDS, RECEIVES = ("s", "rcs", "rrs", "rrcs"), ("r", "rcs", "rrs", "rrc", "rrcs")


class Step:
    def __init__(self, gpu, block, attributes):
        self.gpu, self.tb, self.number, self.type = gpu, int(block["id"]), int(attributes["s"]), attributes["type"]
        self.peer, self.channel, self.from_peer = int(block["send"]), int(block["chan"]), int(block["recv"])
        self.count = int(attributes["cnt"])
        self.waited = (int(attributes["depid"]), int(attributes["deps"]))
        self.message_from = None
        """The step whose message it receives."""
        self.begun = self.done = self.arrived = None
        self.left, self.volume, self.shares, self.wait = 0.0, 0.0, {}, 0.0

    @property
    def name(self):
        return f"gpu {self.gpu} tb {self.tb} step {self.number} ({self.type})"


def steps_of(xml):
    """Return all steps, with the chunks per loop."""
    algo = ElementTree.fromstring(xml)
    steps = [Step(int(gpu.get("id")), block.attrib, step.attrib) for gpu in algo for block in gpu for step in block]
    sends = defaultdict(list)
    for step in steps:
        if step.type in SENDS:
            sends[step.gpu, step.peer, step.channel].append(step)
    for step in steps:
        if step.type in RECEIVES:
            step.message_from = sends[step.from_peer, step.gpu, step.channel].pop(0)
    return steps, int(algo.get("nchunksperloop"))


def timed_steps(case, xml, hop_seconds=0.0):
    """Return all steps with the times at which they begin, are done, and their messages arrive."""
    steps, chunks = steps_of(xml)
    capacity = _route(case, steps, case.scenario.job.message_bytes / 1e9 / chunks, hop_seconds)
    now = 0.0
    while any(step.done is None for step in steps):
        if _begin(steps, now):
            continue
        active = [step for step in steps if step.begun is not None and step.done is None]
        rate = rates([step.shares for step in active], capacity)
        sooner = min((step.left / r for step, r in zip(active, rate, strict=True)), default=inf)
        arrivals = [step.arrived for step in steps if step.arrived is not None and step.arrived > now]
        later = min(arrivals, default=inf)
        passed = min(sooner, later - now)
        assert passed < inf, "the schedule is stuck"
        now = later if later - now <= sooner else now + passed
        for step, r in zip(active, rate, strict=True):
            step.left -= passed * r
            if step.left <= CLOSE * step.volume:
                step.done, step.arrived = now, now + step.wait
    return steps


def _route(case, steps, chunk, hop_seconds):
    capacity = {}
    for step in steps:
        if step.type in SENDS:
            u, v = int(case.mapping.nodes[step.gpu]), int(case.mapping.nodes[step.peer])
            step.left = step.volume = step.count * chunk
            step.wait = hop_seconds
            if u != v:
                route = case.router.route(u, v)
                for link, share in zip(route.links.tolist(), route.shares.tolist(), strict=True):
                    step.shares[link] = step.shares.get(link, 0.0) + share
                    capacity[link] = float(case.gbs[link])
                hops = case.router.hops(np.array([u], np.int32), np.array([v], np.int32))
                step.wait = hop_seconds * (float(hops[0]) + 1)
    return capacity


def _begin(steps, now):
    # Begin all steps that can; return whether any has begun.
    begun = False
    for step in steps:
        if step.begun is None and all(_ready(time, now) for time in _awaited(steps, step)):
            step.begun, begun = now, True
            if step.type not in SENDS:
                step.done = now
            elif not step.shares:
                step.done, step.arrived = now, now + step.wait
    return begun


def _awaited(steps, step):
    # Times of the events that a step awaits; None where not known yet.
    for other in steps:
        if other.gpu == step.gpu:
            if other.tb == step.tb and other.number == step.number - 1:
                yield other.done
            if (other.tb, other.number) == step.waited:
                yield other.done
    if step.message_from is not None:
        yield step.message_from.arrived


def _ready(time, now):
    return time is not None and time <= now * (1 + 1e-12)
