"""Bandwidths of links: the keys of each format, and a warning for every assumed value."""

import json
import math

import pytest

from core.network.formats.infiniband.dump import GBS
from core.spec import SpecError
from tests.core.network.formats.files import written

FABRIC = """Switch\t36 "S-1"\t\t# "s1" base port 0 lid 1
[1]{ext}\t"H-1"[1](2)\t\t# "h1 HCA-4xSDR" lid 7 {rate}
[2]\t"H-2"[1](3)\t\t# "h2 HCA-1" lid 8 4xHDR

Ca\t1 "H-1"\t\t# "h1 HCA-4xSDR"
[1](2)\t"S-1"[1]{ext}\t\t# lid 7 lmc 0 "s1" lid 1 {rate}

Ca\t1 "H-2"\t\t# "h2 HCA-1"
[1](3)\t"S-1"[2]\t\t# lid 8 lmc 0 "s1" lid 1 4xHDR
"""
"""A fabric whose first cable has a given rate; the description of its host looks like another rate."""


def first_cable(tmp_path, rate, ext="", **fields):
    """The bandwidth of the first cable, and the warnings of the network."""
    network = written(tmp_path, "ib.txt", FABRIC.format(rate=rate, ext=ext), gbs=3.0, **fields)
    own = [gbs for gbs, u, v in zip(network.gbs, network.src, network.dst, strict=True) if 0 in (u, v)]
    assert len(set(own)) == 1
    return own[0], network.warnings


@pytest.mark.parametrize("lanes", [1, 2, 4, 8, 12])
@pytest.mark.parametrize(
    ("name", "four"),
    [
        ("SDR", 1),
        ("DDR", 2),
        ("QDR", 4),
        ("FDR10", 5),
        ("FDR", 6.8),
        ("EDR", 12.5),
        ("HDR", 25),
        ("NDR", 50),
        ("XDR", 100),
    ],
)
def test_a_rate_of_infiniband_is_lanes_times_data_rate(tmp_path, name, four, lanes):
    assert first_cable(tmp_path, f"{lanes}x{name}") == (pytest.approx(four * lanes / 4), ())


def test_every_rate_of_infiniband_is_listed_above():
    assert len(GBS) == 9


@pytest.mark.parametrize("rate", ["4x???", "4xZDR", "3xEDR", "??EDR", "undefined"])
def test_an_unknown_rate_is_named_with_its_line_and_cables(tmp_path, rate):
    gbs, warnings = first_cable(tmp_path, rate)
    assert gbs == 3.0
    words = "the network's bandwidth (gbs) is used for 1 cable: s1[1] - h1[1]"
    assert warnings == (f"line 2: unknown rate {rate!r}; {words}",)


def test_an_unknown_rate_has_the_bandwidth_of_its_field(tmp_path):
    gbs, warnings = first_cable(tmp_path, "4x{?}", unknown_gbs=7.0)
    assert gbs == 7.0
    assert warnings == ("line 2: unknown rate '4x{?}'; 7 GB/s (unknown_gbs) is used for 1 cable: s1[1] - h1[1]",)


def test_a_cable_without_a_rate_is_named(tmp_path):
    gbs, warnings = first_cable(tmp_path, "", unknown_gbs=7.0)
    assert gbs == 3.0
    assert warnings == ("1 cable without a rate, for which the network's bandwidth (gbs) is used: s1[1] - h1[1]",)


def test_the_lower_of_two_rates_counts(tmp_path):
    network = written(tmp_path, "ib.txt", FABRIC.format(rate="4xNDR", ext="").replace("4xNDR", "4xSDR", 1))
    assert min(network.gbs) == 1.0
    assert network.warnings == ("1 cable with different rates at both ends, of which the lower is used: s1[1] - h1[1]",)


def test_one_known_end_is_enough(tmp_path):
    network = written(tmp_path, "ib.txt", FABRIC.format(rate="4xNDR", ext="").replace("4xNDR", "4x???", 1))
    assert (max(network.gbs), network.warnings) == (50.0, ())


def test_ports_on_the_case_of_a_chassis_are_read(tmp_path):
    assert first_cable(tmp_path, "4xXDR", "[ext 17]") == (100.0, ())


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('[3][spine 1]\t"S-2"[1]', "line 3: '[3][spine 1]\\t\"S-2\"[1]' is not a cable"),
        ('[3]\t"S-2"[1][rear 1]', "is not a cable"),
        ("  [3] nothing", "line 3: '[3] nothing' is not a cable"),
        ('Tca\t2 "H-9"', "line 3: unknown block 'Tca'; supported: Switch, Ca, Hca, Rt"),
        ('include "other"', "line 3: 'include \"other\"' is not supported"),
        ('[0]\t"H-9"[1]', "line 3: port 0 of a switch with 36 ports"),
    ],
)
def test_no_line_that_may_be_a_cable_or_a_block_is_skipped(tmp_path, line, what):
    lines = FABRIC.format(rate="4xHDR", ext="").split("\n")
    text = "\n".join([*lines[:2], line, *lines[2:]])
    with pytest.raises(SpecError) as refused:
        written(tmp_path, "ib.txt", text)
    assert what in str(refused.value)


GRAPHML = """<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>
<key id='k' for='edge' attr.name='{key}' attr.type='string'/><graph edgedefault='undirected'>
<node id='a'/><node id='b'/><node id='c'/>
<edge source='a' target='b'><data key='k'>{value}</data></edge><edge source='b' target='c'/></graph></graphml>"""
GEXF = """<gexf xmlns='http://www.gexf.net/1.2draft' version='1.2'><graph defaultedgetype='undirected'>
<attributes class='edge'><attribute id='0' title='{key}' type='string'/></attributes>
<nodes><node id='a' label='a'/><node id='b' label='b'/><node id='c' label='c'/></nodes>
<edges><edge id='0' source='a' target='b'><attvalues><attvalue for='0' value='{value}'/></attvalues></edge>
<edge id='1' source='b' target='c'/></edges></graph></gexf>"""
DOT = 'graph g {{ a -- b [{key}="{value}"]; b -- c }}'


def netjson(key, value):
    links = [
        {"source": "a", "target": "b", "properties": {key: value}},
        {"source": "b", "target": "c", "cost": 1},
    ]
    return json.dumps({"type": "NetworkGraph", "nodes": [{"id": name} for name in "abc"], "links": links})


def attributed(form, key, value):
    """Two links in a format with attributes; the first link has one."""
    texts = {"n.graphml": GRAPHML, "n.gexf": GEXF, "n.dot": DOT}
    return texts[form].format(key=key, value=value) if form in texts else netjson(key, value)


ATTRIBUTED = ("n.graphml", "n.gexf", "n.dot", "n.json")


@pytest.mark.parametrize("form", ATTRIBUTED)
@pytest.mark.parametrize("key", ["gbs", "bandwidth", "bw"])
def test_a_bandwidth_is_read_or_refused(tmp_path, form, key):
    assert set(written(tmp_path, form, attributed(form, key, "25"), gbs=3.0).gbs.tolist()) == {25.0, 3.0}
    for value in ("4xEDR", "100 Gb/s", "-1", "nan"):
        with pytest.raises(SpecError, match="bandwidth") as refused:
            written(tmp_path, form, attributed(form, key, value))
        assert value in str(refused.value)


@pytest.mark.parametrize("form", ATTRIBUTED)
@pytest.mark.parametrize("key", ["LinkSpeed", "capacity", "rate"])
def test_an_attribute_that_looks_like_a_bandwidth_is_not_ignored_silently(tmp_path, form, key):
    network = written(tmp_path, form, attributed(form, key, "40"), gbs=3.0)
    assert set(network.gbs.tolist()) == {3.0}
    assert any(f"not read as bandwidths: {key!r}" in warning for warning in network.warnings)
    assert not any(
        "bandwidth" in warning for warning in written(tmp_path, form, attributed(form, "colour", "40")).warnings
    )


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("t.conf", "SwitchName=a Nodes=n[1-2] LinkSpeed=100\nSwitchName=b Nodes=n3", "LinkSpeed of 1 switch"),
        ("m.graph", "3 2 1\n2 7\n1 7 3 9\n2 9\n", "weights of edges are ignored"),
        (
            "s.json",
            json.dumps(
                {
                    "avg_num_hops": 1,
                    "switches": {
                        "s": {
                            "outports": {
                                "0": {"destination": "a", "inport": 0, "bandwidth": "10GB/s"},
                                "1": {"destination": "b", "inport": 0},
                            }
                        }
                    },
                    "nodes": {
                        "a": {"outports": {"0": {"destination": "s", "inport": 0}}},
                        "b": {"outports": {"0": {"destination": "s", "inport": 1}}},
                    },
                }
            ),
            "not read as bandwidths: 'bandwidth'",
        ),
    ],
)
def test_rates_of_formats_without_a_bandwidth_are_named(tmp_path, name, text, words):
    network = written(tmp_path, name, text, gbs=3.0)
    assert set(network.gbs.tolist()) == {3.0}
    assert any(words in warning for warning in network.warnings)


@pytest.mark.parametrize("bandwidth", ["", "4xEDR", "fast", "12.5"])
def test_simgrid_refuses_a_bandwidth_without_its_unit(tmp_path, bandwidth):
    cluster = f"<platform version='4.1'><cluster id='c' radical='0-3' bw='{bandwidth}' lat='1us'/></platform>"
    with pytest.raises(SpecError, match="is not a bandwidth; give one such as 125MBps"):
        written(tmp_path, "p.xml", cluster)


def test_an_edge_list_refuses_a_rate_that_is_not_a_number(tmp_path):
    with pytest.raises(SpecError, match="line 2: '4xEDR' is not a bandwidth"):
        written(tmp_path, "e.edges", "a b\nb c 4xEDR\n")
    assert not any(map(math.isnan, written(tmp_path, "e.edges", "a b\nb c 100\n").gbs))


@pytest.mark.parametrize("form", ATTRIBUTED)
def test_weights_are_bandwidths_if_all_can_be_and_a_note_says_so(tmp_path, form):
    network = written(tmp_path, form, attributed(form, "weight", "40"), gbs=3.0)
    assert set(network.gbs.tolist()) == {40.0, 3.0}
    assert any("'weight' is read as GB/s" in warning for warning in network.warnings)
    # networkx converts GEXF's weights.
    network = written(tmp_path, form, attributed(form, "weight", "0" if form == "n.gexf" else "far"), gbs=3.0)
    assert set(network.gbs.tolist()) == {3.0}
    assert any("'weight' is not read as GB/s: it has values such as" in warning for warning in network.warnings)


@pytest.mark.parametrize("form", ATTRIBUTED)
def test_weights_beside_a_bandwidth_are_not_mentioned(tmp_path, form):
    text = attributed(form, "bw", "40").replace("cost", "weight")
    assert not any("'weight'" in warning for warning in written(tmp_path, form, text).warnings) or form == "n.json"
