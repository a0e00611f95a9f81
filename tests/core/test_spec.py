"""The texts of a declaration about its fields, for forms, help and messages."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal

import msgspec
import pytest

from core.job import AnyJob
from core.mapping import AnyMapping
from core.network import AnyNetwork
from core.routing import AnyRouting
from core.spec import (
    Cancelled,
    SharedProgress,
    Spec,
    SpecError,
    declare,
    errors_naming,
    fields_of,
    members,
    subprogress,
)

UNIONS = (AnyNetwork, AnyJob, AnyMapping, AnyRouting)


class Sample(Spec, frozen=True, tag="sample"):
    """A sample."""

    title: ClassVar[str] = "Sample"

    size: Annotated[int, declare("Size", "how many", unit="nodes", ge=2, lt=10)]
    speed: Annotated[float, declare("Speed", "how fast", unit="GB/s", gt=0)] = 1.5
    way: Annotated[Literal["left", "right"], declare("Way", "where to")] = "left"
    wide: Annotated[bool, declare("Wide", "or not")] = False
    names: Annotated[tuple[str, ...] | None, declare("Names", "of the nodes")] = None


def test_fields_hold_all_declarations():
    size, speed, way, wide, names = fields_of(Sample)
    assert (size.name, size.kind, size.title, size.unit, size.description) == ("size", int, "Size", "nodes", "how many")
    assert (size.required, size.low, size.high, size.optional) == (True, 2, 9, False)  # whole numbers below 10
    assert (speed.kind, speed.default, speed.low, speed.high, speed.unit) == (float, 1.5, 0, None, "GB/s")
    assert (way.kind, way.choices, way.default, way.required) == (str, ("left", "right"), "left", False)
    assert (wide.kind, wide.choices, wide.default) == (bool, (), False)
    assert (names.kind, names.optional, names.default) == (tuple, True, None)


def test_tags_match_scenario_files():
    assert Sample.tag() == "sample"
    assert msgspec.to_builtins(Sample(size=3))["type"] == "sample"


@pytest.mark.parametrize("family", [family for union in UNIONS for family in members(union)], ids=lambda f: f.tag())
def test_every_choice_has_readable_texts(family):
    assert family.title
    assert family.__doc__
    for field in fields_of(family):
        assert field.title != field.name
        assert field.description
        assert field.kind in (int, float, bool, str, tuple)
        # Omitted values must be valid: presets and defaults lie within the bounds.
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            assert field.low is None or field.default >= field.low
            assert field.high is None or field.default <= field.high
    for values in family.presets.values():
        assert msgspec.convert({"type": family.tag(), **values}, family)


def test_a_declared_type_may_be_declared_again_where_it_is_used():
    node = Annotated[int, declare("", "", ge=0, lt=10)]

    class Pair(Spec, frozen=True, tag="pair"):
        title: ClassVar[str] = "Pair"
        start: Annotated[node, declare("From", "node it leaves", unit="no.")]
        end: Annotated[node, declare("To", "node it reaches", lt=5)]

    start, end = (spec_field(info) for info in fields_of(Pair))
    assert start == ("From", "node it leaves", "no.", 0, 9)
    assert end == ("To", "node it reaches", "", 0, 4)


def spec_field(field):
    return field.title, field.description, field.unit, field.low, field.high


def test_a_union_of_one_spec_has_one_member():
    assert members(Sample) == (Sample,)


def test_errors_name_the_field():
    error = SpecError("network.dims", "is wrong")
    assert str(error) == "network.dims: is wrong"
    assert (error.field, error.message) == ("network.dims", "is wrong")


@pytest.mark.parametrize(
    ("bounds", "told"),
    [((0.25, 0.75), [0.25, 0.5, 0.75]), ((2, 3, 4), [0.5, 0.625, 0.75]), ((0, 1), [0.0, 0.5, 1.0])],
)
def test_progress_of_a_part_is_converted_to_progress_of_the_whole(bounds, told):
    heard = []
    part = subprogress(heard.append, *bounds)
    for fraction in (0.0, 0.5, 1.0):
        part(fraction)
    assert heard == told


def test_cancelling_a_part_cancels_the_whole():
    def stop(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        subprogress(subprogress(stop, 0.0, 0.5), 1, 2, 3)(0.0)


@pytest.mark.parametrize(
    ("reports", "told"),
    [
        ([[0.5, 1.0], [0.5, 1.0], [0.0, 1.0]], [0.4, 0.8, 0.9, 1.0, 1.0, 1.0]),
        ([[], [0.5], [0.0, 1.0]], [0.5, 0.5, 1.0]),
        ([[], [], [0.25, 1.0]], [0.25, 1.0]),
    ],
)
def test_parts_that_report_nothing_leave_the_bar_to_the_others(reports, told):
    heard = []
    shared = SharedProgress(heard.append)
    for share, fractions in zip((0.8, 1.0, 1.0), reports, strict=True):
        part = shared.part(share)
        for fraction in fractions:
            part(fraction)
    assert heard == pytest.approx(told)


def test_an_unreadable_file_is_refused_by_name():
    reasons = [
        (PermissionError(13, "Permission denied"), "cannot be read: Permission denied"),
        (OSError("no gzip file"), "cannot be read: no gzip file"),
        (MemoryError(), "is too large for this machine's memory"),
    ]
    for error, reason in reasons:
        with (
            pytest.raises(SpecError, match=f"^hosts.file: 'n.txt' {reason}$"),
            errors_naming("hosts.file", Path("n.txt")),
        ):
            raise error
