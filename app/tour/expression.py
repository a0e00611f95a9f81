"""Expressions in captions and claims: names, arithmetic and comparisons, parsed by Python, evaluated here.

``{throughput_gbs}`` in a caption is replaced by a figure, ``{throughput_gbs / blocks.throughput_gbs:.2f}`` by one of
two scenes, formatted as in Python. A claim is a comparison: ``throughput_gbs > 1.9 * blocks.throughput_gbs``.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

from core.files.atomic import shown
from core.spec import SpecError
from core.text import figure

Value = float | int | str
Lookup = Callable[[str | None, str], Value]
"""Maps the id of a scene (None: the one on the stage) and the name of a figure to the figure's value."""
FIELD = re.compile(r"\{([^{}]*?)(?::([^{}:]*))?\}")
FORMAT = re.compile(r"[<>^+ ]?\d{0,2},?(\.\d{1,2})?[defg%]?")
RIGHT = "figures by name, numbers, + - * /, brackets and comparisons are right"
LENGTH = 500
"""Maximum characters of an expression."""
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def parsed(text: str, field: str) -> ast.expr:
    """Return a parsed expression.

    Raises SpecError: under `field`, if it does not parse, or contains anything but names, arithmetic and comparisons.
    """
    try:
        found = ast.parse(text.strip(), mode="eval").body if len(text) <= LENGTH else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = None
    if found is None or not all(_allowed(node) for node in ast.walk(found)):
        raise SpecError(field, f"{shown(text)!r} cannot be worked out: {RIGHT}")
    return found


def _allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | str) and not isinstance(node.value, bool)
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name)
    kinds = (ast.Name, ast.BinOp, ast.UnaryOp, ast.USub, ast.Compare, ast.Load, ast.operator, ast.cmpop)
    known = isinstance(node, kinds)
    if isinstance(node, ast.operator):
        return type(node) in ARITHMETIC
    return type(node) in COMPARISONS if isinstance(node, ast.cmpop) else known


def names_in(expression: ast.expr) -> Iterator[tuple[str | None, str]]:
    """Return the figures that an expression uses, each as (scene id, None for its own scene; name)."""
    scenes = {id(node.value) for node in ast.walk(expression) if isinstance(node, ast.Attribute)}
    for node in ast.walk(expression):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.value.id, node.attr
        elif isinstance(node, ast.Name) and id(node) not in scenes:
            yield None, node.id


def value_of(node: ast.expr, lookup: Lookup) -> Any:
    """Return the value of an expression, given the figures.

    Raises SpecError: from `lookup`; and for operations that the values do not allow.
    """
    try:
        return _value(node, lookup)
    except (TypeError, ZeroDivisionError, OverflowError) as error:
        raise SpecError("figures", f"{ast.unparse(node)} cannot be worked out: {error}") from error


def _value(node: ast.expr, lookup: Lookup) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return lookup(None, node.id)
        case ast.Attribute(value=ast.Name(id=scene), attr=name):
            return lookup(scene, name)
        case ast.UnaryOp():
            return -_value(node.operand, lookup)
        case ast.BinOp():
            return ARITHMETIC[type(node.op)](_value(node.left, lookup), _value(node.right, lookup))
        case ast.Compare():
            values = [_value(one, lookup) for one in (node.left, *node.comparators)]
            pairs = zip(node.ops, values, values[1:], strict=False)
            return all(COMPARISONS[type(op)](left, right) for op, left, right in pairs)
        case _:  # refused by `parsed`
            raise TypeError(type(node).__name__)


def check_text(text: str, field: str) -> None:
    """Refuse a caption with figures that cannot be read.

    Raises SpecError: under `field`.
    """
    for _ in _fields(text, field):
        pass
    if "{" in FIELD.sub("", text) or "}" in FIELD.sub("", text):
        raise SpecError(field, "has a { or } that stands alone; {throughput_gbs} stands for a figure")


def figures_in(text: str) -> set[tuple[str | None, str]]:
    """Return the figures that a caption uses, as `names_in` does."""
    return {name for found, _ in _fields(text, "text") for name in names_in(found)}


def filled(text: str, lookup: Lookup) -> str:
    """Return a caption with its figures filled in; in place of one that cannot be computed it says so, briefly."""

    def put(found: re.Match[str]) -> str:
        try:
            value = value_of(parsed(found[1], "text"), lookup)
        except SpecError as error:
            return f"⚠ {error.message.partition('; ')[0]}"
        return written(value, found[2] or "")

    return FIELD.sub(put, text)


def written(value: Value, form: str = "") -> str:
    """Return a figure by a Python format specification; without one as elsewhere in the program."""
    if isinstance(value, str):
        return value
    if form:
        return format(value, form)
    return f"{value:,}" if isinstance(value, int) else figure(value)


def _fields(text: str, field: str) -> Iterator[tuple[ast.expr, str]]:
    for found in FIELD.finditer(text):
        form = found[2] or ""
        if not FORMAT.fullmatch(form):
            raise SpecError(field, f"{shown(form)!r} is no format of a number, such as .1f or ,.0f")
        yield parsed(found[1], field), form
