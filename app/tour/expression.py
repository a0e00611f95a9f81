"""Expressions in captions and claims: names, arithmetic and comparisons, parsed by Python and evaluated here.

``{throughput_gbs}`` in a caption is replaced by a figure, ``{throughput_gbs / blocks.throughput_gbs:.2f}`` by the ratio
of the figures of two scenes, formatted as in Python. A claim is a comparison: ``throughput_gbs > 1.9 *
blocks.throughput_gbs``. A figure may be named by its path: ``{classes.D.max_load}``. A path that names no figure begins
with the id of a scene: ``{blocks.timeline.steps[0].seconds}``.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from core.figures.registry import Value, find
from core.files.atomic import shown
from core.spec import SpecError
from core.text import figure

Lookup = Callable[[str | None, str], Value]
"""Maps the id of a scene (None for the scene on the stage) and the name of a figure to the figure's value."""
FIELD = re.compile(r"\{([^{}]*?)(?::([^{}:]*))?\}")
WORD = re.compile(r".\w*", re.DOTALL)
FORMAT = re.compile(r"[<>^+ ]?\d{0,2},?(\.\d{1,2})?[defg%]?")
IMAGE = "!["
"""Beginning of a picture in Markdown. Captions show no pictures, so that no file is loaded."""
ALLOWED = "use figures by name, numbers, + - * /, parentheses and comparisons"
MAX_CAPTION = 2000
"""Maximum characters of a caption."""
LENGTH = 500
"""Maximum characters of an expression."""
PATHS = ast.Name, ast.Attribute, ast.Subscript
"""The nodes of a path to a figure."""
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
COMPARISONS: dict[type, Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


def parsed(text: str, field: str) -> ast.expr:
    """Return a parsed expression.

    Raises SpecError: under `field`, if it is not an expression of names, arithmetic and comparisons.
    """
    try:
        expression = ast.parse(text.strip(), mode="eval").body if len(text) <= LENGTH else None
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        expression = None
    if expression is None or not all(_allowed(node) for node in ast.walk(expression)):
        raise SpecError(field, f"{shown(text)!r} cannot be computed; {ALLOWED}")
    return expression


def _allowed(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | str) and not isinstance(node.value, bool)
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, PATHS)
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, PATHS) and isinstance(node.slice, ast.Constant) and type(node.slice.value) is int
    kinds = (ast.Name, ast.BinOp, ast.UnaryOp, ast.USub, ast.Compare, ast.Load, ast.operator, ast.cmpop)
    is_allowed = isinstance(node, kinds)
    if isinstance(node, ast.operator):
        return type(node) in ARITHMETIC
    return type(node) in COMPARISONS if isinstance(node, ast.cmpop) else is_allowed


def names_in(expression: ast.expr) -> Iterator[tuple[str | None, str]]:
    """Return the figures that an expression uses, as (scene id, name), with None for its own scene."""
    nodes = list(ast.walk(expression))
    inside = {id(node.value) for node in nodes if isinstance(node, ast.Attribute | ast.Subscript)}
    for node in nodes:
        if isinstance(node, PATHS) and id(node) not in inside:
            yield _named(node)


def _named(node: ast.expr) -> tuple[str | None, str]:
    # The path of a figure refers to the scene itself; any other path begins with the id of another scene.
    path = ast.unparse(node)
    scene, dot, rest = path.partition(".")
    return (None, path) if not dot or find(path) is not None else (scene, rest)


def value_of(node: ast.expr, lookup: Lookup) -> Any:
    """Return the value of an expression, given the figures.

    Raises SpecError: from `lookup`, and for operations that the values do not allow.
    """
    try:
        return _value(node, lookup)
    except (TypeError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise SpecError("figures", f"{shown(ast.unparse(node))} cannot be computed: {error}") from error


def _value(node: ast.expr, lookup: Lookup) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return lookup(*_named(node))
        case ast.UnaryOp():
            return -_number(node.operand, lookup)
        case ast.BinOp():
            return ARITHMETIC[type(node.op)](_number(node.left, lookup), _number(node.right, lookup))
        case ast.Compare():
            values = [_value(operand, lookup) for operand in (node.left, *node.comparators)]
            pairs = zip(node.ops, values, values[1:], strict=False)
            return all(COMPARISONS[type(op)](left, right) for op, left, right in pairs)
        case _:  # refused by `parsed`
            raise TypeError(type(node).__name__)


def _number(node: ast.expr, lookup: Lookup) -> Any:
    # Python would repeat and concatenate texts, up to gigabytes.
    value = _value(node, lookup)
    if isinstance(value, str):
        raise TypeError(f"{shown(value)!r} is text, which can only be compared")
    return value


class Caption(NamedTuple):
    """A caption with its figures filled in."""

    text: str
    """A figure that cannot be computed is replaced by a short note."""
    errors: tuple[str, ...]
    """The errors, one clause each."""
    wrong: tuple[tuple[int, int], ...] = ()
    """Positions of the errors in the caption as typed: start and end of each."""


def caption(text: str, lookup: Lookup) -> Caption:
    """Fill in the figures of a caption; errors are marked in the text and returned."""
    errors = list(text_errors(text))
    wrong = [match.span() for place in _single_braces(text) if (match := WORD.match(text, place)) is not None]

    def put(match: re.Match[str]) -> str:
        try:
            return written(value_of(_expression(match), lookup), match[2] or "")
        except SpecError as error:
            wrong.append(match.span())
            if error.message not in errors:
                errors.append(error.message)
            return f"⚠ {error.message.partition('; ')[0]}"

    brief = text if len(text) <= MAX_CAPTION else f"{text[:MAX_CAPTION]} …"
    return Caption(FIELD.sub(put, brief), tuple(errors), tuple(sorted(wrong)))


class ClaimResult(NamedTuple):
    """A claim that was checked."""

    claim: str
    holds: bool
    error: str = ""
    """Why it cannot be checked; empty if it can."""
    values: tuple[tuple[str, Value], ...] = ()
    """The figures that it uses, by name, with their values."""


def checked_claim(claim: str, lookup: Lookup) -> ClaimResult:
    """Check a claim, given the figures."""
    values: list[tuple[str, Value]] = []
    try:
        expression = parsed(claim, "claims")
        for scene, name in dict.fromkeys(names_in(expression)):
            values.append((f"{scene}.{name}" if scene is not None else name, lookup(scene, name)))
        outcome = value_of(expression, lookup)
    except SpecError as error:
        return ClaimResult(claim, False, error.message, tuple(values))
    unfit = "" if isinstance(outcome, bool) else f"{shown(claim)!r} is not a comparison; write one, such as a > b"
    return ClaimResult(claim, outcome is True, unfit, tuple(values))


def _single_braces(text: str) -> Iterator[int]:
    paired = FIELD.sub(lambda match: " " * len(match[0]), text)
    return (place for place, letter in enumerate(paired) if letter in "{}")


def text_errors(text: str) -> Iterator[str]:
    """Yield the errors of a caption that do not depend on figures: length, braces, expressions and formats."""
    if len(text) > MAX_CAPTION:
        yield f"the caption has {len(text):,} characters; the maximum is {MAX_CAPTION:,}"
    if any(True for _ in _single_braces(text)):
        yield "unmatched { or }; write a figure as {throughput_gbs}"
    for match in FIELD.finditer(text):
        try:
            _expression(match)
        except SpecError as error:
            yield error.message


def figures_in(text: str) -> set[tuple[str | None, str]]:
    """Return the figures that a caption uses, as `names_in` does, without invalid expressions."""
    names: set[tuple[str | None, str]] = set()
    for match in FIELD.finditer(text):
        with suppress(SpecError):
            names |= set(names_in(_expression(match)))
    return names


def figures_of_claim(claim: str) -> set[tuple[str | None, str]]:
    """Return the figures that a claim uses; empty if the claim is invalid."""
    try:
        return set(names_in(parsed(claim, "claims")))
    except SpecError:
        return set()


def written(value: Value, form: str = "") -> str:
    """Return a figure formatted by a Python format specification, by default as elsewhere in the program.

    Raises SpecError: if the format does not fit the value.
    """
    if isinstance(value, str):
        return value
    try:
        if form:
            return format(value, form)
        return f"{value:,}" if isinstance(value, int) else figure(value)
    except (ValueError, OverflowError) as error:
        reason = "a fraction; use .0f" if form.endswith("d") else f"so large a number: {error}"
        raise SpecError("figures", f"the format {form!r} does not fit {reason}") from error


def _expression(match: re.Match[str]) -> ast.expr:
    form = match[2] or ""
    if not FORMAT.fullmatch(form):
        raise SpecError("text", f"{shown(form)!r} is not a number format; examples: .1f and ,.0f")
    return parsed(match[1], "text")
