"""When phases run one after the other, message by message along its route."""

from collections import Counter


def steps(case, hop_seconds=0.0, injection_gbs=None):
    """Return (seconds, messages, hops, contention) of each phase."""
    found = []
    for phase in case.job.phases:
        load, meets, sent, received, hops = Counter(), Counter(), Counter(), Counter(), []
        for _, block in phase.blocks():
            for src, dst, volume in zip(*map(list, block), strict=True):
                if src == dst:
                    continue
                u, v = int(case.mapping.nodes[src]), int(case.mapping.nodes[dst])
                route = case.router.route(u, v)
                hops.append(float(route.shares.sum()))
                sent[u] += volume * (u != v)
                received[v] += volume * (u != v)
                for link, share in zip(route.links.tolist(), route.shares.tolist(), strict=True):
                    load[link] += volume * share
                    meets[link] += share
        seconds = max((volume / case.gbs[link] for link, volume in load.items()), default=0.0)
        if injection_gbs is not None:
            seconds = max(seconds, max([*sent.values(), *received.values()], default=0.0) / injection_gbs)
        if hops:
            seconds += hop_seconds * (max(hops) + 1)
        contention = sum(max(count - 1, 0.0) * count / 2 for count in meets.values())
        found.append((seconds, len(hops), sum(hops), contention))
    return found
