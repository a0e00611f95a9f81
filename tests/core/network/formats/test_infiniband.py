"""InfiniBand fabrics: the output of ibnetdiscover and its relatives."""

from tests.core.network.formats.files import written

BANDWIDTHS = """Switch\t8 "S-1"\t\t# "s1" base port 0 lid 1 lmc 0
[3]\t"H-1"[2](2)\t\t# "h1 HCA-1" lid 7 4xEDR
[4]\t"H-2"[1](3)\t\t# "h2 HCA-1" lid 8 4xHDR
[7]\t"H-3"[1](4)\t\t# "h3 HCA-1" lid 9 4xEDR

Ca\t2 "H-1"\t\t# "h1 HCA-1"
[2](2)\t"S-1"[3]\t\t# lid 7 lmc 0 "s1" lid 1 4xEDR

Ca\t1 "H-2"\t\t# "h2 HCA-1"
[1](3)\t"S-1"[4]\t\t# lid 8 lmc 0 "s1" lid 1 4xHDR

Ca\t1 "H-3"\t\t# "h3 HCA-1"
[1](4)\t"S-1"[7]\t\t# lid 9 lmc 0 "s1" lid 1 4xEDR
"""
"""A fabric whose links are not in the order of its lines: they are sorted by bandwidth."""


def ports_of(network):
    """The names and ports of both ends of each directed link."""
    label = network.label
    ends = zip(
        network.src.tolist(),
        network.src_ports.number.tolist(),
        network.dst.tolist(),
        network.dst_ports.number.tolist(),
        strict=True,
    )
    return {(label(u), p, label(v), q) for u, p, v, q in ends}


def test_links_keep_their_ports(tmp_path):
    network = written(tmp_path, "ib.txt", BANDWIDTHS)
    cables = {("s1", 3, "h1", 2), ("s1", 4, "h2", 1), ("s1", 7, "h3", 1)}
    assert ports_of(network) == cables | {(v, q, u, p) for u, p, v, q in cables}
    assert [c.gbs for c in network.classes] == [25.0, 12.5]
    assert sorted(network.src_ports.nic.tolist()) == [-1, -1, -1, 0, 0, 0]
