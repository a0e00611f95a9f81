"""Mappings that group tasks by their traffic, slowly: TreeMatch."""

from collections import Counter, defaultdict


def grown(job, network, nodes):
    """Return the slot of each task by TreeMatch; machine and tasks are nested lists with one depth per level."""
    groups = _slots_in_groups(network, nodes, job.tasks)
    traffic, items = _traffic(job), list(range(job.tasks))
    for level in range(len(network.levels) + 1, 0, -1):
        items = _grouped(items, [Counter(map(_shape, group)) for group in _lists(groups, level)], traffic)
    slot_of = dict(pair for item, group in zip(items, groups, strict=True) for pair in _matched(item, group))
    return [slot_of[task] for task in range(job.tasks)]


def _slots_in_groups(network, nodes, tasks):
    keys = {node: (*(level.group[node] for level in network.levels), node) for node in nodes}
    order = sorted(nodes, key=lambda node: keys[node][:-1])  # stable
    slots = [
        (keys[node], node * network.slots_per_node + core) for node in order for core in range(network.slots_per_node)
    ]

    def nested(slots, depth):
        if depth > len(network.levels):
            return [slot for _, slot in slots]
        parts = defaultdict(list)
        for key, slot in slots:
            parts[key[depth]].append((key, slot))
        return [nested(part, depth + 1) for part in parts.values()]

    return nested(slots[:tasks], 0)


def _lists(tree, depth):
    return tree if depth == 1 else [family for part in tree for family in _lists(part, depth - 1)]


def _shape(tree):
    return tuple(sorted(map(_shape, tree))) if isinstance(tree, list) else ()


def _traffic(job):
    volumes = defaultdict(Counter)
    for run in job.runs:
        for _, flows in run.phase.blocks():
            for src, dst, volume in zip(flows.src.tolist(), flows.dst.tolist(), flows.volume.tolist(), strict=True):
                if src != dst:
                    volumes[src][dst] += volume * run.times
                    volumes[dst][src] += volume * run.times
    return volumes


def _tasks(tree):
    return [task for part in tree for task in _tasks(part)] if isinstance(tree, list) else [tree]


def _between(family, second, traffic):
    return sum(traffic[a][b] for a in _tasks(family) for b in _tasks(second))


def _grouped(items, wanted, traffic):
    # Fill each group with items of each shape: the first remaining item, then the item with most traffic to the group.
    between = {a: {b: _between(items[a], items[b], traffic) for b in range(len(items))} for a in range(len(items))}
    left, families = list(range(len(items))), []
    for room in wanted:
        members, met = [], []
        while len(members) < sum(room.values()):
            has = Counter(_shape(items[member]) for member in members)
            fit = [item for item in left if has[_shape(items[item])] < room[_shape(items[item])]]
            gain = {item: sum(between[member][item] for member in members) for item in met if item in fit}
            best = max(gain, key=gain.get) if gain else fit[0]
            left.remove(best)
            members.append(best)
            met += [item for item in left if between[best][item] and item not in met]
        families.append([items[member] for member in members])
    return families


def _matched(item, group):
    # Pairs of tasks and slots: parts of the same shape in order.
    if not isinstance(item, list):
        return [(item, group)]
    pairs = []
    for shape in {_shape(part) for part in item}:
        parts = [part for part in item if _shape(part) == shape], [part for part in group if _shape(part) == shape]
        pairs += [pair for part, second in zip(*parts, strict=True) for pair in _matched(part, second)]
    return pairs
