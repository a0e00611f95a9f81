"""Several jobs at the same time, message by message along its route."""

from collections import Counter


def times(jobs, route, gbs, constant=()):
    """Return the time and the load by link of each job.

    A job is a list of phases, a phase a list of (source node, target node, volume); `route(u, v)` gives (link, share)s.
    `constant` is a load of links by nobody of them, which slows each.
    """
    carried = [[_phase(phase, route) for phase in job] for job in jobs]
    totals = [sum(phases, Counter()) for phases in carried]
    times_and_loads = []
    for number, (job, phases) in enumerate(zip(jobs, carried, strict=True)):
        others = sum((load for k, load in enumerate(totals) if k != number), Counter(dict(constant)))
        sent = [sum(volume for _, _, volume in phase) for phase in job]
        time = 0.0
        for volume, own in zip(sent, phases, strict=True):
            share = volume / (sum(sent) or 1)
            time += max(((own[link] + share * others[link]) / gbs[link] for link in own), default=0.0)
        times_and_loads.append((time, totals[number]))
    return times_and_loads


def _phase(flows, route):
    load = Counter()
    for u, v, volume in flows:
        for link, share in route(u, v) if u != v and volume > 0 else ():
            load[link] += volume * share
    return load
