"""Readers of port counters compared with readers line by line, for files of one form and for mixed ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.counters.interval import interval
from core.counters.reading import Kind, Reading, Samples, first_repeated
from core.formats import read_of
from core.spec import SpecError
from tests.oracle import counters as oracle

READ = {name: form.read for name, form in read_of("counters").items()}
COUNTS = st.one_of(st.integers(0, 9), st.integers(2**32 - 3, 2**32 + 3), st.integers(0, 2**64 - 1))
PORTS = st.tuples(st.integers(1, 70000), st.one_of(st.integers(1, 64), st.just(255)))


def values_of(samples):
    """The counters of some samples by key, exact."""
    parts = np.stack([samples.high, samples.low]).transpose(2, 1, 0)
    exact = (
        tuple(None if np.isnan(high) else int(high) * 2**32 + int(low) for high, low in row) for row in parts.tolist()
    )
    return dict(zip(samples.keys, exact, strict=True))


def reading_of(folder, form, text, name="c.txt"):
    (folder / name).write_text(text, newline="")
    return READ[form](folder / name)


@st.composite
def blocks(draw):
    """A block of perfquery: like most others, or with other lines."""
    lid, port = draw(PORTS)
    kind = draw(st.sampled_from(["extended counters"] * 3 + ["counters", "Extended Counters"]))
    lines = [f"# Port {kind}: Lid {lid} port {port} (CapMask: 0x{draw(st.sampled_from(['5300', '5A00']))})"]
    names = draw(st.sampled_from([("PortXmitData", "PortRcvData", "PortXmitWait"), ("PortRcvData", "PortXmitData")]))
    lines.append(f"PortSelect:......................{port}")
    lines += [f"{name}:{'.' * (33 - len(name) - 1)}{draw(COUNTS)}" for name in names]
    return lines


STRAY = [
    "ibwarn: [7] retry", "", "# remark", "  PortXmitWait:....5", "portxmitdata:6", "PortRcvData:......N/A",
    "PortXmitData:....", "PortXmitData:...1.5", "PortXmitData2:....7", "CounterSelect:...0x0000", "# Port of call",
    "PortXmitWait:....0x10", "a:b", "x # Port extended counters: Lid 7 port 5",
]  # fmt: skip
"""Lines between others, some of which are counters."""


@given(st.data())
def test_perfquery_reads_as_line_by_line(empty_folder, data):
    many = data.draw(st.lists(blocks(), min_size=1, max_size=12, unique_by=lambda lines: lines[0].split(" (")[0][-12:]))
    lines = [line for block in many for line in block]
    for _ in range(data.draw(st.integers(0, 4))):
        lines.insert(data.draw(st.integers(0, len(lines))), data.draw(st.sampled_from(STRAY)))
    text = data.draw(st.sampled_from(["\n", "\r\n"])).join(lines) + data.draw(st.sampled_from(["", "\n"]))
    try:
        expected, skipped, saturated = oracle.perfquery(text)
    except AssertionError:
        with pytest.raises(SpecError, match="has counters already"):
            reading_of(empty_folder(), "perfquery", text)
        return
    if not expected:
        with pytest.raises(SpecError, match=r"has no counters|has only sums"):
            reading_of(empty_folder(), "perfquery", text)
        return
    reading = reading_of(empty_folder(), "perfquery", text)
    assert values_of(reading.samples[Kind.LID]) == expected
    notes = " ".join(reading.warnings)
    assert (f"skips {len(skipped)} line" in notes) == bool(skipped)
    assert all(f"line {number} " in notes for number in skipped[:3])
    assert (f"omits {saturated} counter" in notes) == bool(saturated)


@given(st.data())
def test_a_table_reads_as_line_by_line(empty_folder, data):
    header = data.draw(
        st.sampled_from(["guid,port,xmit_bytes,rcv_bytes,wait", "src,wait,dst,bytes", "port,xmit_bytes,guid"])
    )
    cells = {
        "guid": st.integers(1, 2**64 - 1).map(hex), "port": st.integers(1, 64).map(str),
        "src": st.integers(0, 9).map(str), "dst": st.integers(10, 99).map(str),
    }  # fmt: skip
    counts = st.one_of(COUNTS, st.integers(2**64, 2**66)).map(str)
    optional = st.one_of(counts, st.just(""))
    row = st.tuples(*(cells.get(name, optional) for name in header.split(",")))
    rows = data.draw(st.lists(row.map(",".join), max_size=8))
    for _ in range(data.draw(st.integers(0, 2))):
        rows.insert(data.draw(st.integers(0, len(rows))), data.draw(st.sampled_from(["", "# remark"])))
    text = "\n".join([header, *rows])
    try:
        expected = oracle.table(text)
    except AssertionError:
        with pytest.raises(SpecError, match="is listed already"):
            reading_of(empty_folder(), "counters-csv", text)
        return
    if not expected:
        with pytest.raises(SpecError, match="has no counters below its header"):
            reading_of(empty_folder(), "counters-csv", text)
        return
    (samples,) = reading_of(empty_folder(), "counters-csv", text).samples.values()
    assert values_of(samples) == expected


@given(st.data())
def test_a_scrape_reads_as_line_by_line(empty_folder, data):
    """Metrics list the same ports in the same order, or only some of them, or in another order."""
    guids = data.draw(st.lists(st.integers(1, 2**64 - 1), min_size=1, max_size=5, unique=True))
    of_switch = [f'guid="0x{guid:016x}",port="{1 + guid % 36}",switch="a,port=9"' for guid in guids]
    of_adapter = [f'device="mlx5_{k}",instance="n{k}:9100",port="1"' for k in range(data.draw(st.integers(0, 2)))]
    turned = [f'port="{1 + guid % 36}",guid="0x{guid:x}"' for guid in guids[:1]] if data.draw(st.booleans()) else []
    lines = ["# HELP x", "go_threads 7"]
    for metric in data.draw(st.permutations(["transmit_data_bytes", "receive_data_bytes", "transmit_wait"])):
        rows = [f"infiniband_switch_port_{metric}_total{{{labels}}}" for labels in (turned + of_switch[len(turned) :])]
        rows += [f"node_infiniband_port_{metric}_total{{{labels}}}" for labels in of_adapter]
        rows = data.draw(st.one_of(st.just(rows), st.permutations(rows), st.just(rows[1:])))
        counts = data.draw(
            st.lists(st.one_of(COUNTS.map(str), st.just("1.5e+09")), min_size=len(rows), max_size=len(rows))
        )
        lines += [f"{row} {value}" for row, value in zip(rows, counts, strict=True)]
    text = "\n".join(lines)
    expected = oracle.prometheus(text)
    if not expected:
        return
    reading = reading_of(empty_folder(), "prometheus", text)
    read = {key: values for samples in reading.samples.values() for key, values in values_of(samples).items()}
    # The oracle rounds as floats do.
    rounded = {key: tuple(None if v is None else float(v) for v in row) for key, row in read.items()}
    assert rounded == {key: tuple(None if v is None else float(v) for v in row) for key, row in expected.items()}


@given(st.lists(st.integers(0, 3)))
def test_the_first_repeated_key(numbers):
    keys = [(number, 1) for number in numbers]
    expected = next((place for place, key in enumerate(keys) if key in keys[:place]), None)
    assert first_repeated(keys) == expected


@given(st.data())
def test_differences_of_64_bits_are_exact(data):
    """Of ports in any order, some in one reading only; counters that decrease have no value."""
    early, late = ({(k, 1): data.draw(COUNTS) for k in data.draw(st.sets(st.integers(0, 5)))} for _ in range(2))
    readings = [Reading({Kind.LID: Samples.of([*of], [[*of.values()]] * 3)}) for of in (early, late)]
    both = [key for key in late if key in early]
    if not both:
        with pytest.raises(SpecError, match="has no port or link that is also in the earlier file"):
            interval(*readings)
        return
    keys, values = interval(*readings).amounts[Kind.LID]
    assert [*keys] == both
    for key, row in zip(both, values.T, strict=True):
        difference = late[key] - early[key]
        assert np.isnan(row).all() if difference < 0 else set(row) == {float(difference)}
