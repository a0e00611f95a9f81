# The files may have long lines.
# ruff: noqa: E501
"""A small valid file of every kind that the program reads, and the function that reads it."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from app.tour.recording import Recording, TimedEdit, decode_recording, encode_recording
from app.tour.tour_file import decode_tour, plain_scenario, scenario_of_scene
from core.counters.measured import Measured
from core.files.scenario_file import decode, encode
from core.formats import written_of
from core.job import Flows, Halo, Msccl, Nccl
from core.job.job import Job
from core.load.link_load import LinkLoad
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario, Snapshot
from core.mapping import FromFile, Sequential
from core.mapping.formats.placement import Placed
from core.network import Edges, Torus
from core.network.hosts import HostsFile, named
from core.routing import DimensionOrder, Tables, with_faults
from core.routing.flows import NodeFlows
from core.sweep.results import csv_lines, read_results
from core.sweep.study import decode_study
from tests.core.job.msccl.schedules import ring_allreduce

NETWORK = named(Torus(dims=(4, 2), slots_per_node=2).build(), "n[001-008]", None)
JOB = Halo(4, 4)
SCENARIO = Scenario(
    Torus(dims=(4, 2), slots_per_node=2),
    JOB,
    Sequential(),
    DimensionOrder(),
    hosts="n[001-008]",
    job_name="own",
    note="two\nlines",
)
FULL = Scenario(
    SCENARIO.network,
    Halo(2, 4),
    Sequential(),
    DimensionOrder(),
    neighbours=(Neighbour(name="other", job=Halo(2, 2), mapping=Sequential(), allocation="4-7"),),
    background=(LinkLoad(0, 2, 1.5),),
    snapshots=(Snapshot("before", SCENARIO),),
)
RECORDING = Recording(
    fabriscope_recording=1,
    title="two tasks are swapped",
    scenario=plain_scenario(SCENARIO) | {"fabriscope": 1},
    edits=(TimedEdit(0.5, (0, 1), (1, 0)), TimedEdit(1.5, (2, 9), (9, 2))),
)
TOUR = {
    "fabriscope_tour": 1,
    "title": "A tour",
    "scenes": [
        {
            "title": "First",
            "id": "first",
            "scenario": plain_scenario(SCENARIO),
            "text": "It has {throughput_gbs:.1f} GB/s.",
        },
        {"title": "Second", "changes": {"mapping": {"type": "random", "seed": 1}}, "claims": ["throughput_gbs > 0"]},
    ],
}
STUDY = {
    "fabriscope_study": 1,
    "base": {key: value for key, value in plain_scenario(SCENARIO).items() if key != "fabriscope"},
    "vary": {"mapping.type": ["sequential", "random"], "network.gbs": {"from": 1, "to": 4, "step": 1}},
    "where": ["network.gbs > 1"],
    "measure": ["throughput_gbs"],
    "note": "none",
}
GEXF = """<?xml version='1.0' encoding='utf-8'?>
<gexf xmlns='http://www.gexf.net/1.2draft' version='1.2'><graph defaultedgetype='undirected'>
<attributes class='node'><attribute id='0' title='type' type='string'/></attributes>
<nodes><node id='a' label='a'><attvalues><attvalue for='0' value='host'/></attvalues></node><node id='b' label='b'/></nodes>
<edges><edge id='0' source='a' target='b' weight='2.5'/></edges></graph></gexf>"""
FABRIC = """vendid=0x2c9
Switch\t36 "S-1"\t\t# "s1" base port 0 lid 1
[1]\t"H-1"[1](2)\t\t# "h1 HCA-1" lid 7 4xEDR
[2][ext 3]\t"H-2"[1](3)\t\t# "h2 HCA-1" lid 8 4xHDR

Ca\t1 "H-1"\t\t# "h1 HCA-1"
[1](2)\t"S-1"[1]\t\t# lid 7 lmc 0 "s1" lid 1 4xEDR

Ca\t1 "H-2"\t\t# "h2 HCA-1"
[1](3)\t"S-1"[2][ext 3]\t\t# lid 8 lmc 0 "s1" lid 1 4xHDR
"""
IBSIM = 'Switch 8 "S"\n[1] "A"[1]\n[2] "B" w=1\n\nHca 2 "A" # "a HCA-1"\n[1]\t"S"[1]\n\nHca 1 "B"\n[1] "S"[2]\n'
PORTS = """warning 7
CA    78  1 0x946dae0300630bfe 4x HDR - SW    51 81 0x946dae0300630bf6 ( 'n1 HCA-1' - 'leaf ' )
SW    51 81 0x946dae0300630bf6 4x HDR - CA    78  1 0x946dae0300630bfe ( 'leaf ' - 'n1 HCA-1' )
SW    51 80 0x946dae0300630bf6 4x ??? - CA    79  1 0x946dae0300630bff ( 'leaf ' - 'n2 mlx5_0' )
SW    51 1 0x946dae0300630bf6 4x SDR                                    'leaf '
"""
LINKS = """CA: n1 HCA-1:
      0x0000000000000011      2    1[  ] ==( 4X          10.0 Gbps (FDR10) Active/  LinkUp)==>       1    1[  ] "leaf" (Could be 12X )
Switch: 0x0000000000000100 leaf:
           1    1[  ] ==( 4X          10.0 Gbps (FDR10) Active/  LinkUp)==>       2    1[  ] "n1 HCA-1" (Could be 12X )
           1    2[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>       3    1[ 3] "n2 HCA-1" ( )
           1    3[  ] ==(                Down/ Polling)==>             [  ] "" ( )
"""
CONF = "SwitchName=a Nodes=n[1-4] # leaf\nSwitchName=b Nodes=m[01,3-5] LinkSpeed=1\nSwitchName=r \\\n Switches=a,b\n"
YAML = """---
- topology: t
  cluster_default: true
  tree:
    switches:
      - {switch: r, children: "s[1-2]"}
      - {switch: s1, nodes: "h[1-2]"}
      - {switch: s2, nodes: h3}
- topology: u
  torus3d:
    toruses: [{name: p, dims: {x: 3, y: 2, z: 1}, nodes: "n[0-5]"}]
"""
ZONES = """<?xml version='1.0'?>
<platform version='4.1'><zone id='w' routing='Full'>
<cluster id='c' prefix='c-' radical='0-1,3' suffix='' speed='1Gf' bw='125MBps' lat='1us' bb_bw='2GBps' router_id='g'/>
<zone id='z' routing='Floyd'><host id='a'/><host id='b'/><router id='r'/>
<link id='x' bandwidth='1GBps' sharing_policy='SPLITDUPLEX'/><link id='y' bandwidth='8Gbps'/>
<route src='a' dst='r' symmetrical='NO'><link_ctn id='x' direction='UP'/></route>
<route src='r' dst='a' symmetrical='NO'><link_ctn id='x' direction='DOWN'/></route>
<route src='b' dst='r'><link_ctn id='y'/></route></zone>
<zone id='k' routing='Cluster'><router id='s'/><cabinet id='e' prefix='e' suffix='' radical='1-2' bw='1GBps'/>
<host id='h'/><host_link id='h' up='v' down='v'/><backbone id='n' bandwidth='3GBps'/></zone>
<link id='v' bandwidth='4GBps'/><link id='u' bandwidth='5GBps' sharing_policy='FATPIPE'/>
<zoneRoute src='c' dst='z' gw_src='g' gw_dst='r'><link_ctn id='v'/><link_ctn id='u'/></zoneRoute>
<zoneRoute src='k' dst='z' gw_src='s' gw_dst='r'><link_ctn id='u'/></zoneRoute></zone></platform>
"""
TOPOLOGY = """<system version="1">
<cpu numaid="0" host_hash="0x1">
<pci busid="0000:10:00.0" class="0x060400" link_speed="32.0 GT/s PCIe" link_width="16">
<pci busid="0000:11:00.0" class="0x030200" link_speed="" link_width="0">
<gpu dev="0" sm="90"><nvlink target="0000:21:00.0" count="2" tclass="0x030200"/><c2c bw="9000" count="2"/></gpu></pci>
<pci busid="0000:12:00.0" class="0x020700" link_speed="16 GT/s" link_width="8"><nic><net name="ib0" dev="1" speed="400000"/></nic></pci>
<pci busid="0000:12:00.1" class="0x020700" link_speed="16 GT/s" link_width="8"><nic><net name="ib1" dev="0" speed="-1"/></nic></pci>
</pci></cpu>
<cpu numaid="1" host_hash="0x1"><pci busid="0000:21:00.0" class="0x030200"><gpu dev="1" sm="90">
<nvlink target="0000:11:00.0" count="2"/><nvlink target="0000:07:00.0" count="4" tclass="0x068000"/><xgmi target="x" tclass="0x068001"/>
</gpu></pci><nic><net name="eth0"/></nic></cpu></system>
"""
NETJSON = json.dumps(
    {
        "type": "NetworkGraph",
        "nodes": [{"id": "a", "properties": {"type": "host"}}, {"id": "b"}],
        "links": [{"source": "a", "target": "b", "cost": 1, "properties": {"bw": 2.5}}],
    },
    indent=1,
)
MONITORING = "# POINT TO POINT\nE\t0\t1\t3072 bytes\t3 msgs sent\t0,1\nI\t0\t2\t20 bytes\t1 msgs sent\t1\n"
TAU = """2 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls #
".TAU application" 1 1 2 2 0 GROUP="TAU_DEFAULT"
0 aggregates
2 userevents
# eventname numevents max min mean sumsqr
"Message size sent to node 1" 3 1024 1024 1024 3145728
"Message size sent to node 2 : main() => MPI_Send()" 1 20 20 20 400
"""
OUTPUT = """step 1
I\t0\t1\t108 bytes\t27 msgs sent
[1,1]<stderr>:E\t1\t0\t860 bytes\t24 msgs sent
"""
IPM = (
    "# region irank jrank data_tot data_tx data_rx nmsg_tx nmsg_rx\nmain 0 1 3020 3000 20 3 1\nmain 0 2 500 500 0 1 0\n"
)
GOAL = """num_ranks 2
rank 0 {
l1: send 8b to 1 tag 0 /* one */
l2: calc 100
l2 requires l1
}
rank 1 { // two
l1: recv 8b from 0 tag 0
}
"""
NCCL = """loss 2.5
n1:7:8 [0] NCCL INFO comm 0x1 rank 0 nRanks 2 nNodes 2
n1:7:8 [0] NCCL INFO Channel 00/01 : 0 1
n1:7:8 [0] NCCL INFO Ring 00 : 1 -> 0 -> 1
n1:7:8 [0] NCCL INFO Trees [0] 1/-1/-1->0->-1|-1->0->1/-1/-1
n1:7:8 [0] NCCL INFO Channel 00/0 : 0[1a000] -> 1[0] [send] via NET/IB/0(1)/GDRDMA
n2:9:9 [0] NCCL INFO comm 0x2 rank 1 nRanks 2 nNodes 2
n2:9:9 [0] NCCL INFO Trees [0] -1/-1/-1->1->0|0->1->-1/-1/-1
n2:9:9 [0] NCCL INFO Channel 00/0 : 1[1a000] -> 0[0] [send] via NET/IB/0
n2:9:9 [0] NCCL INFO comm 0x2 rank 1 nranks 2 busId 1a000 - Init COMPLETE
n2:9:9 [0] NCCL INFO comm 0x3 rank 0 nranks 3 commId 0x7 - Init START
n2:9:9 [0] NCCL INFO Channel 00/01 : 0 2 1
"""
PERFQUERY = """ibwarn: [7] retry
# Port extended counters: Lid 7 port 5 (CapMask: 0x5300)
PortSelect:......................5
CounterSelect:...................0x0000
PortXmitData:....................2000
PortRcvData:.....................30
PortXmitWait:....................12
# Port counters: Lid 7 port 6 (CapMask: 0x5300)
PortXmitData:....................4294967295
PortRcvData:.....................N/A
"""
PROMETHEUS = """# HELP infiniband_switch_port_transmit_data_bytes_total x
infiniband_switch_port_transmit_data_bytes_total{guid="0x0000000000200004",port="5",switch="s1"} 1.5e+09
infiniband_switch_port_transmit_wait_total{guid="0x0000000000200004",port="5",switch="s1"} 12 1700000000000
node_infiniband_port_data_transmitted_bytes_total{instance="n0003:9100",device="mlx5_0",port="1"} 7000000000
"""
LAUNCHES = (
    (
        "cores of ranks",
        "openmpi-rankfile",
        "".join(f"rank {k}=n00{k // 2 + 1} slot={('p0', '0-1', '0:0;1:0', '1:*', '*')[k % 5]}\n" for k in range(16)),
    ),
    ("sequence with cores", "openmpi-sequence", "".join(f"n00{k} 0-1 0 2\nme@n00{k} 0,1\n" for k in range(1, 9))),
    ("lsf-hosts", "lsf-hosts", "# of bsub\n" + "".join(f"n00{k} 2\n" for k in range(1, 9))),
    ("LSB_MCPU_HOSTS", "lsf-hosts", f"LSB_MCPU_HOSTS='{' '.join(f'n00{k} 2' for k in range(1, 9))}'\n"),
    (
        "hostfile without slots",
        "hostfile",
        "n001\nme@n002 count=1 max-slots=2 // two\nn003\n+n3\n" + "".join(f"n00{k}\n" for k in (5, 6, 7, 8, 2)),
    ),
    ("POE uses", "poe-host-list", "! two\n" + "".join(f"n00{k} shared multiple\n" * 2 for k in range(1, 9))),
    ("PMI vector", "flux-taskmap", "PMI_process_mapping=(vector,(0,8,1),(0,8,1))\n"),
    ("raw taskmap", "flux-taskmap", ";".join(f"{k}-{k + 1}" for k in range(0, 16, 2)) + "\n"),
    ("SST nodes", "permutation", "".join(f"{k}\n" for k in (16, *range(8), *range(8)))),
)


class Family(NamedTuple):
    """A kind of file, with a valid example."""

    file: str
    """Name of the file."""
    content: bytes
    """Content of a valid file."""
    read: Callable[[Path], Any]


def families() -> dict[str, Family]:
    """Return all kinds of files by their names."""
    return {**_networks(), **_jobs(), **_mappings(), **_routings(), **_counters(), **_ours()}


def _networks() -> dict[str, Family]:
    texts = {"gexf": GEXF, "ibnetdiscover": FABRIC, "slurm-conf": CONF, "slurm-yaml": YAML, "netjson": NETJSON}
    texts |= {"ibsim": IBSIM, "iblinkinfo": LINKS}
    forms = [form for form in written_of("network").values() if form.reader and form.id not in texts]
    texts |= {form.id: form.write(NETWORK).content for form in forms}

    def reader(form: Any) -> Callable[[Path], Any]:
        return lambda path: Edges(file=path.name, format=form).build(path.parent)

    read = {f"network {form}": Family("n.txt", text.encode(), reader(form)) for form, text in texts.items()}
    more = {
        "network simgrid zones": Family("p.xml", ZONES.encode(), reader("simgrid")),
        "network nccl-topology": Family(
            "t.xml",
            TOPOLOGY.encode(),
            lambda path: Edges(file=path.name, servers=2, fabric="rail").build(path.parent).layout,
        ),
        "network list of ports": Family("n.txt", PORTS.encode(), reader("ibnetdiscover")),
    }
    return read | more


def _jobs() -> dict[str, Family]:
    array, market = io.BytesIO(), "%%MatrixMarket matrix coordinate real general\n% of nobody\n3 3 2\n1 2 5\n3 1 0.5\n"
    np.save(array, np.arange(9.0).reshape(3, 3))
    job: Job = JOB.build()
    texts = {form.id: ("g.txt", form.write(job).content.encode(), form.id) for form in written_of("job").values()} | {
        "monitoring": ("mon.0.prof", MONITORING.encode(), "monitoring"),
        "monitoring of all ranks": ("err.txt", OUTPUT.encode(), "monitoring"),
        "tau": ("profile.0.0.0", TAU.encode(), "tau"),
        "ipm": ("map_data.txt", IPM.encode(), "ipm"),
        "goal": ("g.goal", GOAL.encode(), "goal"),
        "dense": ("m.csv", b"0,1.5,2\n3,0,1\n4,1,0\n", "matrix"),
        "names": ("n.csv", b'"","a b",c\n"a b",0,1.5\n# none\nc,2,0\n', "matrix"),
        "list": ("l.csv", b"src,dst,label,bytes\n0,1,a,5\n1,2,b,6.5\n", "matrix"),
        "npy": ("m.npy", array.getvalue(), "auto"),
        "market": ("m.mtx", market.encode(), "auto"),
    }

    def reader(form: Any) -> Callable[[Path], Any]:
        return lambda path: Flows(file=path.name, format=form).build(path.parent)

    read = {f"job {kind}": Family(name, content, reader(form)) for kind, (name, content, form) in texts.items()}
    schedule = ring_allreduce(3).xml().encode()
    return read | {
        "job msccl": Family("s.xml", schedule, lambda path: Msccl(file=path.name).build(path.parent)),
        "job nccl-log": Family("n.log", NCCL.encode(), _nccl),
    }


def _nccl(path: Path) -> None:
    choices: list[dict[str, Any]] = [{}, {"algorithm": "tree"}, {"endpoints": "nics"}, {"communicator": 1}]
    for fields in choices:
        Nccl(log=path.name, **fields).build(path.parent)


def _mappings() -> dict[str, Family]:
    tasks: Any = SimpleNamespace(tasks=16)
    placed = Placed.of(Sequential().build(JOB.build(), NETWORK), NETWORK, None)

    def reader(form: Any) -> Callable[[Path], Any]:
        return lambda path: FromFile(file=path.name, format=form).build(tasks, NETWORK, None, path.parent)

    texts = {form: (form, writer.write(placed).content) for form, writer in written_of("mapping").items()}
    texts |= {name: (form, text) for name, form, text in LAUNCHES}
    return {
        f"mapping {name}": Family("m.txt", text.encode(), reader(form.replace("prrte", "openmpi")))
        for name, (form, text) in texts.items()
    }


def _routings() -> dict[str, Family]:
    folder = Path(__file__).parents[1] / "data" / "infiniband" / "tree"
    network = Edges(file="ibnetdiscover.txt").build(folder)
    failed, node = np.zeros(network.links, np.bool_), np.arange(network.nodes, dtype=np.int32)

    def read(path: Path) -> None:
        router = with_faults(Tables(file=path.name).build(network, path.parent), failed)
        for u in node.tolist():
            src = np.full_like(node, u)
            router.loads([NodeFlows(src, node, np.ones(node.size))])
            assert all(router.reason(u, v) for v in node[router.disconnected(src, node)].tolist())

    dumps = {"opensm-lfts": "opensm-lfts.dump", "opensm-fdbs": "opensm.fdbs", "dump-fts": "dump_fts.txt"}
    return {f"routing {form}": Family("t.dump", (folder / file).read_bytes(), read) for form, file in dumps.items()}


def _counters() -> dict[str, Family]:
    network = Edges(file="ibnetdiscover.txt").build(Path(__file__).parents[1] / "data" / "infiniband" / "tree")

    def reader(form: Any) -> Callable[[Path], Any]:
        return lambda path: Measured(after=path.name, format=form).build(network, path.parent)

    texts = {
        "perfquery": ("p.txt", "perfquery", PERFQUERY),
        "perfquery by GUID": ("0x0000000000200004.out", "perfquery", PERFQUERY.replace("Lid 7", "DR path 0,1")),
        "counters-csv": (
            "c.csv",
            "counters-csv",
            "# by port\nguid,port,xmit_bytes,rcv_bytes,wait\n0x200004,5,70,80,1\n",
        ),
        "names": ("n.csv", "counters-csv", "src;dst;bytes;wait\ns1_0000 port 8;s2_0003;2e9;\n0;16;7;3\n"),
        "prometheus": ("m.prom", "prometheus", PROMETHEUS),
    }
    return {f"counters {name}": Family(file, text.encode(), reader(form)) for name, (file, form, text) in texts.items()}


def _ours() -> dict[str, Family]:
    table = [("point", "mapping.type", "throughput_gbs", "seconds", "error")]
    table += [("0", "sequential", "1.5", "0.1", ""), ("1", "random", "", "0.2", "network: is none")]
    return {
        "hosts": Family(
            "hosts.txt",
            b"# all\nn[001-004],login1\nm[5-6]x m07\n",
            lambda path: named(NETWORK, HostsFile(path.name), path.parent),
        ),
        "scenario": Family("s.json", encode(FULL), lambda path: decode(path.read_bytes(), path.parent)),
        "recording": Family("r.json", encode_recording(RECORDING), _played),
        "tour": Family("t.json", json.dumps(TOUR, indent=1).encode(), _toured),
        "study": Family(
            "y.json", json.dumps(STUDY, indent=1).encode(), lambda path: decode_study(path.read_bytes(), path.parent)
        ),
        "results": Family("r.csv", b"# study ab12\n" + csv_lines(table), read_results),
    }


def _played(path: Path) -> None:
    recording = decode_recording(path.read_bytes())
    recording.start(path.parent)
    list(recording.played(np.arange(16, dtype=np.int32), 16))


def _toured(path: Path) -> None:
    for scene in decode_tour(path.read_bytes(), path.parent).scenes:
        scenario_of_scene(scene, path.parent)
