"""The window if there is a screen; else a picture and the figures."""

import argparse
import ctypes
import itertools
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

from app.cli.streams import check_output
from core.files.atomic import STANDARD
from core.files.regular import regular
from core.spec import SpecError


def run(options: argparse.Namespace) -> int:
    """Open the window; without a screen draw the scenario into a picture and print its figures."""
    if options.file == STANDARD:
        raise SpecError("window", "- cannot be saved again; name a file")
    if not has_screen():
        return _no_screen(options)
    from app.window.launch import open_window

    return open_window(options.file)


def has_screen() -> bool:
    """Return whether a window could be shown here."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in ("offscreen", "minimal"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    wayland = platform in ("", "wayland", "wayland-egl") and _wayland_answers()
    return wayland or (platform in ("", "xcb") and bool(os.environ.get("DISPLAY")) and _display_answers())


def _wayland_answers() -> bool:
    # Qt aborts the process without a compositor behind WAYLAND_DISPLAY, as in a session that has ended.
    name = os.environ.get("WAYLAND_DISPLAY")
    if not name:
        return False
    place = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), name)
    with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
        client.connect(place)
        return True
    return False


def _display_answers() -> bool:
    # Qt aborts the process if the server of DISPLAY is gone, so this asks the server first, with Qt's own library.
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    answers = not xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return answers


def _no_screen(options: argparse.Namespace) -> int:
    from app.cli.evaluate import print_report
    from app.cli.picture import render_file
    from app.cli.scenario_argument import scenario_named
    from app.cli.tour_argument import names_tour
    from app.storage.presets import worked_example
    from core.load.bounds import bounds
    from core.load.evaluate import evaluate

    check_output()
    if options.file is not None and os.path.lexists(options.file):
        regular(options.file)  # as in a window, which must not block on a named pipe
    if options.file is not None and names_tour(options.file):
        return _tour_without_screen(options)
    scenario = scenario_named(options.file) if options.file is not None else worked_example()
    out = _free(Path.cwd(), "fabriscope", ".png")
    render_file(scenario, "machine", out, (1600, 1000), "dark")
    drawn = "worked example" if options.file is None else "scenario"
    print(f"There is no screen here to open a window on; drew the {drawn} instead:\n{out}")
    report = evaluate(scenario.build())
    print_report(report, bounds(report.case, report))
    return 0


def _tour_without_screen(options: argparse.Namespace) -> int:
    """Draw the scenes of a tour into a document and print their captions."""
    from app.cli.tour import print_and_draw

    out = _free(Path.cwd(), "fabriscope", ".pdf")
    status = print_and_draw(options.file, out)
    print(f"\nThere is no screen here to open a window on; drew the tour instead:\n{out}")
    return status


def _free(folder: Path, stem: str, ending: str) -> Path:
    # The user did not name this file, so no existing file or broken link is overwritten.
    names = itertools.chain([f"{stem}{ending}"], (f"{stem}-{number}{ending}" for number in itertools.count(2)))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))
