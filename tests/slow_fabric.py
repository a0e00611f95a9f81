"""The counters of the tour *Diagnosing a slow fabric*, as ``perfquery -x`` prints them for the ports of all switches.

Tasks of the job send to each neighbour at one pace and do not wait for each other. There are two defects: a cable whose
links run at 1x instead of 4x, and a flow of another job between two hosts. All counters were reset a minute before.
``python -m tests.slow_fabric`` writes them.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from core.files import decode
from core.load.scenario import Case

FOLDER = Path(__file__).resolve().parents[1] / "resources" / "fabrics" / "fat-tree-64"
COUNTERS = FOLDER / "counters.txt"
SECONDS = 60
PACE = 0.2
"""GB/s of each flow of the job, 0.8 GB/s per task."""
SLOW, SPEED = ("s1_0003 port 12", "s2_0003 port 4"), 0.25
"""Ends of the slow cable, and the remaining fraction of its bandwidth."""
STRANGER, STRANGER_GBS = ("n0057", "n0054"), 0.56
TICKS, SLOW_TICKS = 2e4, 40
"""Wait per GB, and its factor on slow links."""
SPREAD = 0.003
"""Relative deviations of counters."""
MANAGEMENT = 2000, 6000
"""Range of the bytes that the subnet manager sends over every link."""
SCENARIO = b"""{
  "fabriscope": 1,
  "network": {"type": "edges", "file": "fabriscope:fat-tree-64/ibnetdiscover.txt"},
  "job": {"type": "halo", "rows": 6, "cols": 8},
  "allocation": "n[0000-0047]",
  "mapping": {"type": "sequential"},
  "routing": {"type": "tables", "file": "fabriscope:fat-tree-64/opensm-lfts.dump"}
}"""


def counters() -> str:
    """Return the counters of all ports of switches, in order of LID and port."""
    case = decode(SCENARIO).build()
    network, rng = case.network, np.random.default_rng(1)
    gbs, slow = _bandwidths(case)
    sent = SECONDS * gbs * 1e9 * rng.normal(1, SPREAD, gbs.size) + rng.uniform(*MANAGEMENT, gbs.size)
    wait = TICKS * sent / 1e9 * rng.uniform(0.8, 1.2, gbs.size) * np.where(slow, SLOW_TICKS, 1)
    tails, heads = network.src_ports, network.dst_ports
    assert tails is not None
    assert heads is not None
    into = {(heads.lid[k], heads.number[k]): k for k in range(network.links)}
    out = {(tails.lid[k], tails.number[k]): k for k in range(network.links) if network.src[k] >= network.nodes}
    blocks = (_block(*port, sent[link], sent[into[port]], wait[link]) for port, link in sorted(out.items()))
    return "".join(blocks)


def _bandwidths(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """Return the GB/s over every link, flow by flow, and which links are slow."""
    network = case.network
    slow = np.array([set(network.link_ends(link)) == set(SLOW) for link in range(network.links)])
    flows = list(_flows(case))
    wanted = np.zeros(network.links)
    for links in flows:
        wanted[links] += PACE
    gbs = np.zeros(network.links)
    for links in flows:
        crossed = links[slow[links]]
        share = (SPEED * network.gbs[crossed] / wanted[crossed]).min(initial=1.0)
        gbs[links] += PACE * share
    src, dst = (network.node_names.index(host) for host in STRANGER)
    gbs[case.router.route(src, dst).links] += STRANGER_GBS
    return gbs, slow


def _flows(case: Case) -> Iterator[np.ndarray]:
    """Yield the links of each flow of the job, all of which have the same volume."""
    node = case.mapping.nodes
    for _, block in case.job.phases[0].blocks():
        for src, dst in zip(node[block.src].tolist(), node[block.dst].tolist(), strict=True):
            yield case.router.route(src, dst).links


def _block(lid: int, port: int, sent: float, received: float, wait: float) -> str:
    figures = {"PortXmitData": sent / 4, "PortRcvData": received / 4, "PortXmitWait": wait}
    lines = (f"{name + ':':.<33}{value:.0f}\n" for name, value in figures.items())
    return f"# Port extended counters: Lid {lid} port {port} (CapMask: 0x5300)\n{''.join(lines)}"


if __name__ == "__main__":
    COUNTERS.write_text(counters())
