"""The window, or a picture and the figures without a display."""

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

NO_DISPLAY = "No display is available for a window"


def run(options: argparse.Namespace) -> int:
    """Open the window, or without a display draw the scenario into a picture and print its figures."""
    if options.file == STANDARD:
        raise SpecError("window", "cannot open standard input; give a file")
    if not has_screen():
        return _no_screen(options)
    from app.window.launch import open_window

    return open_window(options.file)


def has_screen() -> bool:
    """Return whether a window can be shown on this machine."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform in ("offscreen", "minimal"):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    wayland = platform in ("", "wayland", "wayland-egl") and _wayland_answers()
    return wayland or (platform in ("", "xcb") and bool(os.environ.get("DISPLAY")) and _display_answers())


def _wayland_answers() -> bool:
    # Qt aborts the process if no compositor answers at WAYLAND_DISPLAY, as in a session that has ended.
    name = os.environ.get("WAYLAND_DISPLAY")
    if not name:
        return False
    place = os.path.join(os.environ.get("XDG_RUNTIME_DIR", ""), name)
    with socket.socket(socket.AF_UNIX) as client, suppress(OSError):
        client.connect(place)
        return True
    return False


def _display_answers() -> bool:
    # Qt aborts the process if the server of DISPLAY is gone, so test the connection first, with Qt's own library.
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
        regular(options.file)  # as for a window, which must not block on a named pipe
    if options.file is not None and names_tour(options.file):
        return _tour_without_screen(options)
    scenario = scenario_named(options.file) if options.file is not None else worked_example()
    out = _free(Path.cwd(), "fabriscope", ".png")
    render_file(scenario, "machine", out, (1600, 1000), "dark")
    subject = "default scenario" if options.file is None else "scenario"
    print(f"{NO_DISPLAY}. Drew the {subject} instead:\n{out}")
    report = evaluate(scenario.build())
    print_report(report, bounds(report.case, report))
    return 0


def _tour_without_screen(options: argparse.Namespace) -> int:
    """Write the scenes of a tour as a document and print their captions."""
    from app.cli.tour import print_and_draw

    out = _free(Path.cwd(), "fabriscope", ".pdf")
    status = print_and_draw(options.file, out)
    print(f"\n{NO_DISPLAY}. Drew the tour instead:\n{out}")
    return status


def _free(folder: Path, stem: str, ending: str) -> Path:
    # The user did not choose this name, so no existing file or broken link may be overwritten.
    names = itertools.chain([f"{stem}{ending}"], (f"{stem}-{number}{ending}" for number in itertools.count(2)))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))
