"""The data that a collective delivers, by simulating its messages: sets of blocks of tasks, step by step.

A message carries what its sender has at the start of the step and its receiver lacks. Only the number of blocks is
taken from the volumes, so that the two must agree.
"""


def messages(job, volume=None):
    """Return for each step a list of (source, destination, volume), or blocks of a volume, as integers."""
    steps = []
    for phase in job.phases:
        flows = [flow for _, block in phase.blocks() for flow in zip(*map(list, block), strict=True)]
        steps.append([(int(src), int(dst), _blocks(size, volume)) for src, dst, size in flows])
    return steps


def _blocks(size, volume):
    if volume is None:
        return float(size)
    blocks = size / volume
    assert abs(blocks - round(blocks)) < 1e-6 * max(blocks, 1), f"{blocks} blocks"
    return round(blocks)


def spread(steps, held):
    """Return the blocks of tasks after steps that pass on entire blocks, and check how many each message carries."""
    held = [set(blocks) for blocks in held]
    for step in steps:
        before = [set(blocks) for blocks in held]
        for src, dst, count in step:
            new = before[src] - before[dst]
            assert len(new) == count, f"{src} -> {dst}: {count} blocks, of {len(new)} that are new"
            held[dst] |= new
    return held


def reverse(steps):
    """Return the same messages reversed in time and direction: a sum is distributed that way."""
    return [[(dst, src, size) for src, dst, size in step] for step in reversed(steps)]


def summed(steps, tasks):
    """Return whose vectors are in the sum of each task after steps that add up entire vectors, none of them twice."""
    held = [{task} for task in range(tasks)]
    for step in steps:
        before = [set(terms) for terms in held]
        for src, dst, _ in step:
            # A vector that was passed on finally is overwritten by the total sum in the end.
            assert before[src].isdisjoint(held[dst]) or len(before[src]) == tasks, f"{src} -> {dst}: twice"
            held[dst] |= before[src]
    return held


def bruck(steps, tasks):
    """Return the (source, destination) blocks of tasks after Bruck's steps, and check how many go where."""
    held = [{(task, to) for to in range(tasks)} for task in range(tasks)]
    for k, step in enumerate(steps):
        moved = {}
        for src, dst, count in step:
            moved[dst] = {(a, b) for a, b in held[src] if (b - a) % tasks >> k & 1}
            assert (dst, len(moved[dst])) == ((src + (1 << k)) % tasks, count)
            held[src] -= moved[dst]
        for dst, blocks in moved.items():
            held[dst] |= blocks
    return held
