"""Typed numbers: any text is read as its number, or refused."""

import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLocale
from PySide6.QtTest import QTest

from app.widgets.combo_box import CountBox
from app.widgets.field_text import Refusal, ambiguous_comma, number_field, typed_number
from app.widgets.number_box import NumberBox
from app.widgets.refusals import is_wrong
from core.network import Torus
from core.spec import fields_of

GBS = next(field for field in fields_of(Torus) if field.name == "gbs")
TEXTS = st.one_of(
    st.text("0123456789.,+-eE _x", min_size=1, max_size=9),
    st.from_regex(r"[0-9]{1,4}[.,][0-9]{1,4}([.,][0-9]{1,3})?", fullmatch=True),
)


def readings(text):
    """All numbers that a reader in any country may see in a text."""
    plain = text.strip()
    seen = set()
    for grouping, point in ((",", "."), (".", ","), ("", "."), ("", ",")):
        if grouping and not re.fullmatch(
            rf"[+-]?[1-9]\d{{0,2}}({re.escape(grouping)}\d{{3}})+({re.escape(point)}\d*)?", plain
        ):
            continue
        candidate = plain.replace(grouping, "") if grouping else plain
        candidate = candidate.replace(point, ".")
        if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", candidate, re.ASCII):
            seen.add(Decimal(candidate))
    return seen


@given(TEXTS)
def test_real_numbers_are_read_as_written(text):
    number = typed_number(text, float, "no")
    if isinstance(number, Refusal):
        return
    numbers = readings(text)
    assert number in map(float, numbers)
    if "," in text:
        assert len(numbers) == 1


@given(TEXTS)
def test_whole_numbers_are_read_as_written(text):
    number = typed_number(text, int, "no")
    if isinstance(number, Refusal):
        return
    assert "." not in text
    assert number == int(text.replace(",", ""))
    assert re.fullmatch(r"\s*[+-]?(\d+|[1-9]\d{0,2}(,\d{3})+)\s*", text)


@pytest.mark.parametrize(
    ("text", "kind", "number"),
    [
        ("0,5", float, 0.5),
        ("0,125", float, 0.125),
        ("1234,567", float, 1234.567),
        ("1,5e3", float, 1500.0),
        (",5", float, 0.5),
        ("1,048,576", float, 1048576.0),
        ("1,024.5", float, 1024.5),
        ("1.024", float, 1.024),
        ("1,024", int, 1024),
        (" 12 ", int, 12),
    ],
)
def test_valid_numbers_are_read(text, kind, number):
    assert typed_number(text, kind, "no") == number


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1,024", float),
        ("1.234,5", float),
        ("0,5", int),
        ("1.024", int),
        ("1_000", int),
        ("1_0.5", float),
        ("1 024", int),
        ("inf", float),
        ("nan", float),
        ("1e999", float),
        ("٣", int),
        ("9" * 5000, int),
    ],
)
def test_invalid_numbers_are_refused(text, kind):
    assert isinstance(typed_number(text, kind, "no"), Refusal)


@pytest.mark.parametrize(("text", "kind", "fine"), [("8,8", int, True), ("8,128", int, False), ("8,8", float, False)])
def test_ambiguous_commas_in_lists_are_refused(text, kind, fine):
    assert (ambiguous_comma(text, kind) is None) is fine


@pytest.fixture(params=["C", "de_DE", "en_US"])
def locale(request):
    old = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield
    QLocale.setDefault(old)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0,5", 0.5), ("0.5", 0.5), ("1.5 GB/s", 1.5), ("1,024", None), ("1.234,5", None), ("1x5", None)],
)
def test_number_box_reads_the_same_in_all_locales(locale, show, text, value):
    box = NumberBox(GBS)
    box.set_value(12.5)
    received = []
    box.edited.connect(lambda read, final: received.append(read))
    show(box, 200, 40)
    box.selectAll()
    QTest.keyClicks(box, text)
    assert box.lineEdit().text() == text
    if value is None:
        assert isinstance(received[-1], Refusal)
    else:
        assert received[-1] == value


@pytest.mark.parametrize(
    ("text", "value"), [("2,048", 2048), ("2048", 2048), ("0.5", None), ("1,5", None), ("99999999999999", None)]
)
def test_count_is_read_or_refused_in_red(locale, show, text, value):
    box = CountBox(64, (64, 256), (2, 4096), "Nodes", "")
    show(box, 200, 40)
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), text)
    box.lineEdit().editingFinished.emit()
    assert is_wrong(box) is (value is None)
    assert box.value == (value or 64)
    assert box.currentText() == (f"{value:,}" if value else text)
    box.show_value(64)
    assert not is_wrong(box)


def test_field_outside_a_spec_has_bounds():
    field = number_field("Target", 0, 7, optional=True)
    assert (field.low, field.high, field.default, field.optional) == (0, 7, None, True)
