"""Networks and jobs as they are named on the command line: a scenario file, or a family with its fields.

``circulant:nodes=64,jumps=1,2,4`` or ``torus:dims=8x8x8,gbs=5``: a word without ``=`` goes on with the list before it.
"""

import difflib
import os
import re
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

from core.files import read_network, read_scenario
from core.files.atomic import STANDARD, shown
from core.files.scenario_file import describe
from core.network import AnyNetwork
from core.network.metrics.cabling import Prices
from core.spec import Field, Spec, SpecError, fields_of, members, place_in, read_hook
from core.study.network_table import Entry

NETWORK = "NETWORK"
"""What refusals call an argument that names a network."""


def entry_of(text: str, *, whole: bool = False) -> Entry:
    """Return the network that an argument names; from a file it takes all four choices if it is to be `whole`.

    Raises SpecError: naming what is wrong.
    """
    tag = text.partition(":")[0]
    if tag in {spec.tag() for spec in members(AnyNetwork)}:
        return Entry(text, spelled(NETWORK, text, AnyNetwork), Path.cwd())
    path = Path(text)
    if not (text.endswith(".json") or path == STANDARD or os.path.lexists(path)):
        raise SpecError(NETWORK, f"{shown(tag)!r} is no file and no family; {_known(tag, AnyNetwork)}")
    if not whole:
        return Entry(path.name.removesuffix(".fabriscope.json"), read_network(path), path.parent)
    scenario = read_scenario(path)
    return Entry(path.name.removesuffix(".fabriscope.json"), scenario.network, path.parent, scenario)


def prices_of(text: str) -> Prices:
    """Return the prices that ``switch=5000,port=100`` changes.

    Raises SpecError: naming the price that is wrong.
    """
    found: Prices = spelled("--prices", f"{Prices.tag()}:{text}", Prices)
    return found


def prices_help() -> str:
    """Return every price with what it is of and its default."""
    fields = fields_of(Prices)
    given = {field.name: f"{field.name}={field.default:g}" for field in fields}
    width = max(map(len, given.values()))
    return "\n".join(f"  {given[f.name]:<{width}}  {f.unit:<13}  {f.description}" for f in fields)


def spelled(option: str, text: str, union: Any) -> Any:
    """Return the choice that ``tag:field=value,...`` names; fields left out keep their defaults.

    Raises SpecError: under `option`, listing what is known or saying what a field takes.
    """
    tag, _, rest = text.partition(":")
    known = {spec.tag(): spec for spec in members(union)}
    if tag not in known:
        raise SpecError(option, f"{shown(tag)!r} is not known; {_known(tag, union)}")
    fields = {field.name: field for field in fields_of(known[tag])}
    given: dict[str, list[str]] = {}
    for part in filter(None, (word.strip() for word in rest.split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not equals and given:
            given[list(given)[-1]].append(name)
        elif equals and name.replace("-", "_") in fields:
            given[name.replace("-", "_")] = [value]
        else:
            raise SpecError(option, f"{shown(part)!r} is not known; {_usage(tag, fields)}")
    plain = {name: _plain(fields[name], values) for name, values in given.items()}
    return _converted(option if len(known) == 1 else f"{option}: {tag}", known[tag], plain, fields)


def _plain(field: Field, values: list[str]) -> Any:
    if field.is_file:  # of the current folder, or of any other: the user named it
        return os.path.abspath(",".join(values))
    # 8x8x8 is as good as 8,8,8.
    if field.kind is tuple and len(values) == 1 and re.fullmatch(r"\d+(x\d+)*", values[0]):
        values = values[0].split("x")
    if field.kind is tuple or len(values) > 1:
        return [int(value) if value.isascii() and value.isdigit() and len(value) < 20 else value for value in values]
    return values[0]


def _converted(option: str, spec: type[Spec], plain: dict[str, Any], fields: dict[str, Field]) -> Any:
    try:
        found = msgspec.convert({"type": spec.tag(), **plain}, spec, strict=False, dec_hook=read_hook)
    except msgspec.ValidationError as error:
        problem, place = place_in(str(error))
        name = place.partition("[")[0]
        if name not in fields:
            raise SpecError(
                option, f"{spec.tag()}: {problem.replace('`', '')}; {_usage(spec.tag(), fields)}"
            ) from error
        raise _refusal(option, fields[name], plain[name]) from error
    for name, value in plain.items():
        number = getattr(found, name)
        if isinstance(number, float) and not isfinite(number):
            raise _refusal(option, fields[name], value)
    return found


def _refusal(option: str, field: Field, value: Any) -> SpecError:
    said = ",".join(map(str, value)) if isinstance(value, list) else value
    return SpecError(option, f"{field.name} is {shown(said)!r}; {describe(field)}")


def _known(tag: str, union: Any) -> str:
    tags = [spec.tag() for spec in members(union)]
    close = difflib.get_close_matches(tag, tags, 1)
    guess = f"did you mean {close[0]}? " if close else ""
    return f"{guess}known: {', '.join(tags)}"


def _usage(tag: str, fields: dict[str, Field]) -> str:
    return f"{tag} has {', '.join(fields)}" if fields else f"{tag} has no fields"
