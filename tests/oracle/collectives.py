"""The data that a collective delivers, by simulating its messages: sets of blocks of tasks, step by step.

A message carries the blocks that its sender has at the start of the step and that its receiver lacks. The volumes give
only the number of blocks, so the two must agree.
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
    """Return the blocks of each task after steps that forward entire blocks, and check the number in each message."""
    held = [set(blocks) for blocks in held]
    for step in steps:
        before = [set(blocks) for blocks in held]
        for src, dst, count in step:
            new = before[src] - before[dst]
            assert len(new) == count, f"{src} -> {dst}: {count} blocks, of {len(new)} that are new"
            held[dst] |= new
    return held


def reverse(steps):
    """Return the messages reversed in time and direction, as a sum is distributed."""
    return [[(dst, src, size) for src, dst, size in step] for step in reversed(steps)]


def summed(steps, tasks):
    """Return the tasks whose vectors are in each task's sum after steps that add entire vectors, each at most once."""
    held = [{task} for task in range(tasks)]
    for step in steps:
        before = [set(terms) for terms in held]
        for src, dst, _ in step:
            # A vector that has been sent completely is replaced by the total sum in the end.
            assert before[src].isdisjoint(held[dst]) or len(before[src]) == tasks, f"{src} -> {dst}: twice"
            held[dst] |= before[src]
    return held


def bruck(steps, tasks):
    """Return the (source, destination) blocks of each task after Bruck's steps, and check the number per message."""
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
