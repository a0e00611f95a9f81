"""Volumes and times as text, and the effect of a trace's unit on its figures."""

import numpy as np
import pytest

from core.files import write_links
from core.job import Flows, Halo
from core.job.measure import MEASURES, UNITS, common
from core.load.bounds import bounds
from core.network import FatTree, Mesh
from core.routing import DimensionOrder, Minimal
from core.text import figure
from tests.core.load.cases import case_of, report_of

STAR = FatTree(arity=3, levels=1, host_gbs=2.0)


def test_volumes_are_given_in_the_unit_of_the_trace():
    assert [UNITS.amount(0.25), UNITS.amount(1)] == ["0.25 units", "1 unit"]
    converted = {"bytes": "1,500,000,000 bytes", "KB": "1,500,000 KB", "MB": "1,500 MB", "GB": "1.5 GB"}
    assert {name: MEASURES[name].amount(1.5) for name in converted} == converted
    assert [MEASURES["messages"].amount(volume) for volume in (1, 3)] == ["1 message", "3 messages"]
    assert (common(UNITS, UNITS), common(UNITS, MEASURES["MB"])) == (UNITS, UNITS)


@pytest.mark.parametrize(("unit", "size"), [("bytes", 1e9), ("KB", 1e6), ("MB", 1e3), ("GB", 1.0)])
def test_the_same_traffic_has_the_same_figures_in_any_unit(unit, size, tmp_path):
    plain = report_of(STAR, Flows(src=(0, 0), dst=(1, 2), volume=(10.0, 3.0)), Minimal())
    converted = report_of(STAR, Flows(src=(0, 0), dst=(1, 2), volume=(10.0 * size, 3.0 * size), unit=unit), Minimal())
    assert (converted.time, converted.throughput_gbs) == (pytest.approx(6.5), pytest.approx(plain.throughput_gbs))
    assert converted.seconds == converted.time
    assert f"{figure(13 * size)} {unit}" in bounds(converted.case)[0].reason
    write_links(tmp_path / "links.csv", converted)
    loads = np.loadtxt(tmp_path / "links.csv", delimiter=",", skiprows=1, usecols=3)
    np.testing.assert_allclose(loads, plain.load * size, rtol=1e-12)


def test_a_trace_without_a_unit_is_in_gb_to_the_last_digit():
    job = Flows(src=(0, 1), dst=(1, 2), volume=(0.1, 1 / 3))
    case = case_of(Mesh(dims=(3,)), job, DimensionOrder())
    np.testing.assert_array_equal(case.job.phases[0].flows.volume, [0.1, 1 / 3])
    assert case.job.measure == MEASURES["GB"]


def test_volumes_in_bytes_are_given_in_a_suitable_measure():
    mb = MEASURES["MB"]
    assert mb.suited_amount(8e-9) == "8 bytes"
    assert mb.suited_amount(1e-9) == "1 byte"
    assert mb.suited_amount(8e-6) == "8 KB"
    assert mb.suited_amount(5e4) == "50,000 GB"
    assert (mb.suited_amount(0.0), mb.suited_amount(0.0115)) == ("0 MB", "11.5 MB")
    assert all(measure.suited(volume) is measure for measure in (UNITS, MEASURES["messages"]) for volume in (1e-9, 1e9))


def test_message_counts_have_no_time_and_no_size():
    report = report_of(STAR, Flows(src=(0, 0), dst=(1, 2), volume=(1.0, 3.0), unit="messages"), Minimal())
    measure = report.case.job.measure
    assert report.seconds is None
    assert measure.time(report.time) == "2 messages per GB/s"
    assert measure.rate == "GB/s per node for equal messages"
    assert "4 messages" in bounds(report.case)[0].reason


def test_patterns_are_given_in_units_without_a_time():
    report = report_of(Mesh(dims=(4, 4)), Halo(rows=4, cols=4), DimensionOrder())
    assert (report.case.job.measure, report.seconds) == (UNITS, None)
    assert UNITS.time(0.25) == "250 ms per unit"
