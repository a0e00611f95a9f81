"""`render`: a picture of a scenario, without a display."""

import argparse
import re
from pathlib import Path

from app.cli.options import THEMES, declare_theme
from app.cli.patience import declare_patience, refuse_minutes
from app.cli.picture import render_file
from app.cli.scenario_argument import declare_scenario, is_preset, scenario_given, scenario_named
from app.cli.streams import print_written
from app.model.view_table import SPECS
from app.style.colour import ColourScale
from core.files import SUFFIX
from core.files.atomic import check_place, shown
from core.load.evaluate import evaluate
from core.spec import SpecError
from core.text import known_names

FORMATS = ("png", "svg", "pdf")
ENDINGS = [f".{form}" for form in FORMATS]
MIN_SIDE, MAX_SIDE = 64, 16384
"""Shortest and longest side of a rendered picture, in pixels."""
TIME = re.compile(r"(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)\s*(s|ms|us|µs|ns)?", re.IGNORECASE)
SECONDS = {None: 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
SCALE_HELP = (
    "top of the colour scale, for pictures that are to be compared: a time per unit, such as 80ms, or the hottest link "
    "of a scenario; repeatable, the largest value is used (default: hottest link of FILE)"
)
FOCUS_HELP = (
    "part of the machine to draw, by its name in the window, such as 'supernode 3', 'node 0 d1 12' or "
    "'LR 0 d1 12 -> 0 d0 4' (default: whole machine)"
)


def declare_options(parser: argparse.ArgumentParser) -> None:
    """Give the parser the options."""
    declare_scenario(parser)
    parser.add_argument("--view", choices=SPECS, default="machine", help="view to draw (default: machine)")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT", help="picture to write: .png, .svg or .pdf")
    parser.add_argument(
        "--format", choices=FORMATS, help="picture format (default: from the ending of OUT; png on standard output)"
    )
    parser.add_argument(
        "--size", type=size_given, default=(1600, 1000), metavar="WxH", help="size in pixels (default: 1600x1000)"
    )
    declare_theme(parser, "dark")
    parser.add_argument("--scale", action="append", default=[], metavar="T|FILE", help=SCALE_HELP)
    parser.add_argument("--focus", metavar="NAME", help=FOCUS_HELP)
    declare_patience(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Draw a scenario."""
    check_picture(options.view, options.size, options.theme, options.focus)
    if options.scale and not SPECS[options.view].coloured:
        *most, last = (spec.id for spec in SPECS.values() if spec.coloured)
        raise SpecError(
            "--scale",
            f"can be used with --view {', '.join(most)} or {last}; the {options.view} view does not show loads",
        )
    form = options.format
    check_place(options.out, "--out", ENDINGS if form is None else [f".{form}"] if options.out.suffix else ())
    options.live.stage("reading")
    scenario = scenario_given(options)
    time, relative_to = _top(options.scale)
    scale = ColourScale(frozen_time=time, frozen_as=relative_to)
    how = options.size, options.theme, scale, options.focus, options.format
    loads = refuse_minutes(options.live.stage("loads"), options.patient)
    render_file(scenario, options.view, options.out, *how, loads, lambda: options.live.stage("drawing"))
    options.live.end()
    print_written(options.out, options)
    return 0


def check_picture(view: str, size: tuple[int, int], theme: str, focus: str | None) -> None:
    """Check the options of a picture.

    Raises SpecError: naming the invalid option.
    """
    for name, value, choices in (("--view", view, SPECS), ("--theme", theme, THEMES)):
        if value not in choices:
            raise SpecError(
                name, f"{shown(str(value))!r} is not known; {known_names(str(value), choices, f'{name[2:]}s')}"
            )
    if not (isinstance(size, tuple) and len(size) == 2 and all(MIN_SIDE <= side <= MAX_SIDE for side in size)):
        raise SpecError("--size", f"must be a width and a height from {MIN_SIDE} to {MAX_SIDE:,} pixels")
    if focus is not None and view != "machine":
        raise SpecError("--focus", f"can be used with --view machine only, not with --view {view}")


def size_given(text: str) -> tuple[int, int]:
    """Return width and height from ``1600x1000``; argparse reports errors."""
    width, _, height = text.lower().partition("x")
    if not (width.isascii() and width.isdigit() and height.isascii() and height.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size, such as 1600x1000")
    size = int(width[:9]), int(height[:9])
    if not (min(size) >= MIN_SIDE and max(size) <= MAX_SIDE):
        raise argparse.ArgumentTypeError(f"{text!r} is out of range; each side: {MIN_SIDE} to {MAX_SIDE:,} pixels")
    return size


def _top(given: list[str]) -> tuple[float | None, str]:
    """Return the largest of the given times, in seconds per unit, and its name; None if no time is given."""
    if not given:
        return None, ""
    return max(_time_of(text) for text in given)


def _time_of(text: str) -> tuple[float, str]:
    number = TIME.fullmatch(text.strip())
    if number is not None:
        time, name = float(number[1]) * SECONDS[number[2] and number[2].lower()], "a fixed time"
    elif Path(text).is_file() or is_preset(text):
        time, name = evaluate(scenario_named(Path(text)).build()).time, Path(text).name.removesuffix(SUFFIX)
    else:
        raise SpecError("--scale", f"{shown(text)!r} is neither a time, such as 80ms, nor a scenario file or preset")
    if not 1e-15 <= time <= 1e15:
        raise SpecError("--scale", f"{shown(text)!r} is out of range; the time must be positive and finite")
    return time, name
