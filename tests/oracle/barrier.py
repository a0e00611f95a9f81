"""Phases in sequence, message by message along its route."""

from collections import Counter, defaultdict


def steps(case, hop_seconds=0.0, injection_gbs=None):
    """Return (seconds, messages, hops, contention) of each phase."""
    figures = []
    for phase in case.job.phases:
        load, meets, sent, received, hops = Counter(), defaultdict(list), Counter(), Counter(), []
        for _, block in phase.blocks():
            for src, dst, volume in zip(*map(list, block), strict=True):
                if src == dst:
                    continue
                u, v = int(case.mapping.nodes[src]), int(case.mapping.nodes[dst])
                route = case.router.route(u, v)
                hops.append(float(route.shares.sum()))
                if route.links.size:  # it is not disconnected
                    sent[u] += volume
                    received[v] += volume
                crossed = Counter()
                for link, share in zip(route.links.tolist(), route.shares.tolist(), strict=True):
                    load[link] += volume * share
                    crossed[link] += share
                for link, share in crossed.items():
                    meets[link].append(share)
        seconds = max((volume / case.gbs[link] for link, volume in load.items()), default=0.0)
        if injection_gbs is not None:
            seconds = max(seconds, max([*sent.values(), *received.values()], default=0.0) / injection_gbs)
        if hops:
            seconds += hop_seconds * (max(hops) + 1)
        # Pairs of messages, weighted by the product of their shares of the link.
        shared = [(share, sum(shares)) for shares in meets.values() for share in shares]
        contention = sum(share * (total - share) for share, total in shared) / 2
        figures.append((seconds, len(hops), sum(hops), contention))
    return figures
