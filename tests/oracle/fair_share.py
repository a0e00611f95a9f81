"""Fair shares of links, message by message: a plain loop over events, with progressive filling at each event."""

from collections import defaultdict
from math import inf

import numpy as np

CLOSE = 1e-9


def rates(flows, capacity):
    """Return the max-min fair rate of each flow, a dict of shares by link: all rates rise until a link is full."""
    fixed = {}
    while len(fixed) < len(flows):
        level, full = inf, []
        for link, most in capacity.items():
            rising = sum(flow.get(link, 0.0) for f, flow in enumerate(flows) if f not in fixed)
            carried = sum(flows[f].get(link, 0.0) * rate for f, rate in fixed.items())
            if rising > 0:
                allowed = max(most - carried, 0.0) / rising
                if allowed < level * (1 - CLOSE):
                    level, full = allowed, [link]
                elif allowed <= level * (1 + CLOSE):
                    full.append(link)
        for f, flow in enumerate(flows):
            if f not in fixed and any(flow.get(link, 0.0) > 0 for link in full):
                fixed[f] = level
    return [fixed[f] for f in range(len(flows))]


class Message:
    def __init__(self, step, src, dst, volume, shares, wait):
        self.step, self.src, self.dst, self.volume, self.left = step, src, dst, volume, volume
        self.shares, self.wait = shares, wait
        self.start = self.sent = None


def messages_of(case, hop_seconds, injection_gbs):
    """Return all messages with their routes, and the bandwidth of the links that they cross."""
    messages, capacity = [], {}
    for step, phase in enumerate(case.job.phases):
        router = case.router.planned(case.node_flows(phase), case.gbs)
        for _, block in phase.blocks():
            for src, dst, volume in zip(*(column.tolist() for column in block), strict=True):
                if src == dst:
                    continue
                u, v = int(case.mapping.nodes[src]), int(case.mapping.nodes[dst])
                route, shares = router.route(u, v), defaultdict(float)
                for link, share in zip(route.links.tolist(), route.shares.tolist(), strict=True):
                    if u != v:
                        shares[link] += share
                        capacity[link] = float(case.gbs[link])
                if injection_gbs is not None and shares:
                    shares["out", u] = shares["into", v] = 1.0
                    capacity["out", u] = capacity["into", v] = injection_gbs
                hops = float(router.hops(np.array([u], np.int32), np.array([v], np.int32))[0]) if u != v else 0.0
                messages.append(Message(step, src, dst, volume, dict(shares), hop_seconds * (hops + 1)))
    return messages, capacity


def ends_of(messages, step, r):
    """Return the time at which all messages of a rank in a step are done, or None if not yet known."""
    mine = [m for m in messages if m.step == step and r in (m.src, m.dst)]
    if any(m.sent is None for m in mine):
        return None
    return max([m.sent if m.src == r else m.sent + m.wait for m in mine], default=0.0)


class Machine:
    """A running job."""

    def __init__(self, case, hop_seconds, injection_gbs):
        self.messages, self.capacity = messages_of(case, hop_seconds, injection_gbs)
        self.pauses, self.tasks = [phase.pause_seconds for phase in case.job.phases], case.job.tasks
        self.times = [[0.0] * self.tasks] + [[None] * self.tasks for _ in self.pauses]
        self.now = 0.0

    def start_of(self, m):
        """Return the time at which a message may start, or None if not yet known."""
        begin = self.times[m.step][m.src]
        return None if begin is None else begin + self.pauses[m.step]

    def start_messages(self):
        """Start the due messages."""
        for m in self.messages:
            start = self.start_of(m)
            if m.start is None and start is not None and start <= self.now * (1 + 1e-12):
                m.start = start
                if not (m.shares and m.volume):
                    m.sent = start

    def end_steps(self):
        """Record the steps that ranks have ended; return whether any step has ended."""
        ended = False
        for step, pause in enumerate(self.pauses):
            for r in range(self.tasks):
                begin, end = self.times[step][r], ends_of(self.messages, step, r)
                if self.times[step + 1][r] is None and begin is not None and end is not None:
                    self.times[step + 1][r] = max(begin + pause, end)
                    ended = True
        return ended

    def wait(self):
        """Advance the time until a message is sent or may start."""
        active = [m for m in self.messages if m.start is not None and m.sent is None]
        rate = rates([m.shares for m in active], self.capacity)
        sooner = min([m.left / r for m, r in zip(active, rate, strict=True)], default=inf)
        starts = [self.start_of(m) for m in self.messages if m.start is None and self.start_of(m) is not None]
        later = min(starts, default=inf)
        passed = max(min(sooner, later - self.now), 0.0)
        self.now = later if later - self.now <= sooner else self.now + passed
        for m, r in zip(active, rate, strict=True):
            m.left -= passed * r
            if m.left <= CLOSE * m.volume:
                m.sent = self.now


def rank_times(case, hop_seconds=0.0, injection_gbs=None):
    """Return the times at which ranks begin each step and end the last, as lists by step, and the messages."""
    machine = Machine(case, hop_seconds, injection_gbs)
    while True:
        machine.start_messages()
        if machine.end_steps():
            continue
        if all(m.sent is not None for m in machine.messages):
            return machine.times, machine.messages
        machine.wait()
