"""The remaining paths of a scheme when links have failed: drop paths with a failed link, divide the shares again."""

from collections import defaultdict


def percs_left(machine, source, target, failed):
    """The remaining paths of a PERCS machine, with equal shares."""
    paths = [hops for _, hops in machine.paths(source, target)]
    left = [hops for hops in paths if not any(link in failed for _, link in hops)]
    return [(1 / len(left), hops) for hops in left]


def lattice_left(lattice, source, target, failed):
    """The remaining paths of a torus or mesh, with their shares."""
    if lattice.model == "hop-local":
        return _hop_local(lattice, source, target, failed)
    # Uniform and dimension order use equal shares; in dimension order every direction of a tie is a separate choice.
    left = [path for _, path in lattice.paths(source, target) if not failed.intersection(path)]
    return [(1 / len(left), path) for path in left]


def _hop_local(lattice, source, target, failed):
    if source == target:
        return [(1.0, [])]
    onwards = defaultdict(list)
    for d, step in lattice._steps(source, target):
        there = lattice.moved(source, d, step)
        if (d, step, source) not in failed and (rest := _hop_local(lattice, there, target, failed)):
            onwards[d].append(((d, step, source), rest))
    paths = []
    for sides in onwards.values():
        # Dimensions have equal shares; the two directions of a tie halve the share of their dimension.
        share = 1 / len(onwards) / len(sides)
        paths += [(share * part, [hop, *path]) for hop, rest in sides for part, path in rest]
    return paths
