"""Search for the best placement: all placements on tiny machines, hill climbing with restarts on others."""

import numpy as np


def traffic(job):
    """All flows of the first phase as three arrays."""
    blocks = [block for _, block in job.phases[0].blocks()]
    return tuple(np.concatenate(arrays) for arrays in zip(*blocks, strict=True))


def unit_loads(router):
    """Load of every link for one unit between each pair of nodes, shape (nodes, nodes, links)."""
    nodes = router.network.nodes
    loads = np.zeros((nodes, nodes, router.network.links))
    for u in range(nodes):
        for v in range(nodes):
            route = router.route(u, v)
            np.add.at(loads[u, v], route.links, route.shares)
    return loads


def placements(tasks, nodes, slots_per_node):
    """Every placement of tasks on nodes, shape (placements, tasks)."""
    ways = [()]
    for _ in range(tasks):
        ways = [(*way, node) for way in ways for node in range(nodes) if way.count(node) < slots_per_node]
    return np.array(ways)


def best_time(job, router, units, ways):
    """The minimum time over all placements."""
    src, dst, volume = traffic(job)
    pairs = len(units) ** 2
    pair = ways[:, src] * len(units) + ways[:, dst]
    of_way = np.arange(len(ways))[:, None] * pairs + pair
    between = np.bincount(of_way.ravel(), np.tile(volume, len(ways)), len(ways) * pairs).reshape(len(ways), pairs)
    loads = between @ units.reshape(pairs, -1)
    return float((loads / router.network.gbs).max(axis=1).min())


class Climber:
    """Swaps the slots of two tasks, or moves one to a free slot, and keeps changes that reduce the load."""

    def __init__(self, job, network, units, rng):
        self.rng, self.slots_per_node = rng, network.slots_per_node
        self.flows, self.tasks = traffic(job), job.tasks
        self.nodes, self.seconds = network.nodes, (units / network.gbs).reshape(-1, network.links)

    def best(self, slots, steps):
        """The minimum time on the way from a placement: slots of all tasks, then the free slots."""
        slots = slots.copy()
        now, least = self._measures(slots)
        heat = 0.02 * now
        for step in range(steps):
            i, j = self.rng.integers(self.tasks), self.rng.integers(slots.size)
            slots[[i, j]] = slots[[j, i]]
            after, time = self._measures(slots)
            least = min(least, time)
            if after <= now + self.rng.exponential(heat * (1 - step / steps)):
                now = after
            else:
                slots[[i, j]] = slots[[j, i]]
        return least

    def _measures(self, slots):
        # A soft maximum decreases where the true maximum does not change.
        node = slots[: self.tasks] // self.slots_per_node
        src, dst, volume = self.flows
        times = volume @ self.seconds[node[src] * self.nodes + node[dst]]
        highest = times.max()
        return float(highest * ((times / highest) ** 8).sum() ** (1 / 8)) if highest else 0.0, float(highest)
