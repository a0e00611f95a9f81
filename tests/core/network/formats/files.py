"""Files of graphs for tests."""

from core.network import Edges


def written(folder, name, text, **fields):
    """The network of a file with this text or these bytes."""
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return Edges(file=name, **fields).build(folder)


def pairs(network):
    """Directed links as pairs of names, sorted."""
    label = network.label
    return sorted((label(u), label(v)) for u, v in zip(network.src.tolist(), network.dst.tolist(), strict=True))


def both(*edges):
    """Pairs of names in both directions, sorted."""
    return sorted([*edges, *((v, u) for u, v in edges)])


def names(network):
    """Names of all vertices, in their order."""
    return [network.label(vertex) for vertex in range(network.vertices)]
