"""Network arguments, which are scenario files or families with their fields, and the prices of network parts."""

import argparse
from pathlib import Path

from app.cli.arguments import is_choice, known_choices, parse_choice
from app.cli.scenario_argument import is_file, is_preset, scenario_named
from core.figures.network_table import Entry
from core.files import SUFFIX, read_network, read_scenario
from core.files.atomic import shown
from core.network import AnyNetwork
from core.network.metrics.cabling import Prices
from core.spec import SpecError, fields_of

NETWORK = "NETWORK"
"""Name of a network argument in error messages."""
NETWORK_HELP = (
    f"scenario file ({SUFFIX}), name of a preset or machine (Frontier, Fugaku ...), family:field=value,..., or - for "
    "standard input"
)


def declare_networks(parser: argparse.ArgumentParser, count: str) -> None:
    """Add the argument NETWORK (`count` as `nargs`: ``?`` or ``*``), and the option --network with the same meaning."""
    parser.add_argument("networks", nargs=count, default=[], metavar=NETWORK, help=NETWORK_HELP)
    words = "the same as NETWORK" if count == "?" else "another NETWORK; can be repeated"
    parser.add_argument("--network", dest="more", action="append", default=[], metavar="WHICH", help=words)


def networks_given(options: argparse.Namespace) -> list[str]:
    """Return the texts of the given networks, arguments before options.

    Raises SpecError: if there are none.
    """
    given: list[str] = [options.networks] if isinstance(options.networks, str) else [*options.networks]
    given += options.more
    if not given:
        raise SpecError(NETWORK, "is missing; give a family such as torus:dims=8x8x8, a scenario file or a preset")
    return given


def entry_of(text: str, *, with_choices: bool = False) -> Entry:
    """Return the network given by an argument, with the job, mapping and routing of its file if `with_choices`.

    Raises SpecError: naming the error.
    """
    tag = text.partition(":")[0]
    if is_choice(text, AnyNetwork):
        return Entry(text, parse_choice(NETWORK, text, AnyNetwork), Path.cwd())
    path = Path(text)
    if is_preset(text):
        scenario = scenario_named(path)
        return Entry(text, scenario.network, scenario.folder, scenario if with_choices else None)
    if not is_file(path):
        raise SpecError(NETWORK, f"no such file, family or machine: {shown(tag)!r}; {known_choices(tag, AnyNetwork)}")
    name = path.name.removesuffix(SUFFIX)
    if not with_choices:
        return Entry(name, read_network(path), path.parent)
    scenario = read_scenario(path)
    return Entry(name, scenario.network, path.parent, scenario)


def prices_of(text: str) -> Prices:
    """Return the default prices, changed by a text such as ``switch=5000,port=100``.

    Raises SpecError: naming the invalid price.
    """
    prices: Prices = parse_choice("--prices", f"{Prices.tag()}:{text}", Prices)
    return prices


def declare_prices(parser: argparse.ArgumentParser) -> None:
    """Add --prices to the parser, and its values to the end of the help."""
    words = "floor plan and prices to change, such as switch=5000,port=100 (default: see below)"
    parser.add_argument("--prices", default="", metavar="WHICH", help=words)
    parser.epilog = f"{parser.epilog}\nValues of --prices, with their defaults:\n{prices_help()}"


def prices_help() -> str:
    """Return every price with its default, unit and meaning."""
    fields = fields_of(Prices)
    given = {field.name: f"{field.name}={field.default:g}" for field in fields}
    width = max(map(len, given.values()))
    return "\n".join(f"  {given[f.name]:<{width}}  {f.unit:<13}  {f.description}" for f in fields)
