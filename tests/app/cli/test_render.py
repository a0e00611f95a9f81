"""`render`: pictures on a common scale, parts in focus, and errors on invalid requests."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.cli.main import main
from app.model.view_table import VIEWS
from app.style.colour import lookup_table
from app.style.theme import DARK
from app.views.machine.geometry import MachineGeometry
from app.views.machine.paint import HEAD, fit
from core.files import write_scenario
from core.job import Permutation
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, Mesh
from core.routing import DimensionOrder, Minimal

SIZE = (640, 560)
FAST = Scenario(Mesh(dims=(5, 7), gbs=20.0), Permutation(tasks=35, seed=1), Sequential(), DimensionOrder())
SLOW = replace(FAST, network=Mesh(dims=(5, 7), gbs=10.0), job=Permutation(tasks=35, seed=2))
GROUPS = Scenario(
    Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2), Permutation(tasks=12), Sequential(), Minimal()
)


@pytest.fixture
def files(tmp_path, qapp):
    for name, scenario in (("fast", FAST), ("slow", SLOW), ("groups", GROUPS)):
        write_scenario(tmp_path / f"{name}.fabriscope.json", scenario)
    return tmp_path


def render(files, name, *options, out="picture.png"):
    path = files / out
    size = "x".join(map(str, SIZE))
    status = main(["render", str(files / f"{name}.fabriscope.json"), "--out", str(path), "--size", size, *options])
    assert status == 0
    return QImage(str(path))


@pytest.fixture(scope="module")
def picture_of(tmp_path_factory, qapp):
    """The picture of a view, drawn once and compared with all others."""
    folder = tmp_path_factory.mktemp("views")
    write_scenario(folder / "groups.fabriscope.json", GROUPS)
    return cache(lambda view: render(folder, "groups", "--view", view))


@pytest.mark.parametrize("view", [spec.id for spec in VIEWS])
def test_every_view_can_be_drawn_and_looks_different(picture_of, view):
    image = picture_of(view)
    assert (image.width(), image.height()) == SIZE
    others = [spec.id for spec in VIEWS if spec.id != view]
    assert all(image != picture_of(other) for other in others)


def cell_colours(image, scenario):
    geometry = MachineGeometry(scenario.build().network)
    at = fit(geometry, SIZE, HEAD).project(geometry.layout.positions, SIZE)[:, :2]
    return [image.pixelColor(round(x) - 9, round(y) - 9).getRgb()[:3] for x, y in at.tolist()]


def hottest_at_nodes(scenario, time):
    """The colour that each node must have if `time` is the top of the scale."""
    report = evaluate(scenario.build())
    network, table = report.case.network, lookup_table("heat", True)
    seconds = report.load / network.gbs
    colours = []
    for node in range(network.nodes):
        share = seconds[(network.src == node) | (network.dst == node)].max() / time
        above = QColor(DARK.beyond).getRgb()[:3]
        colours.append(above if share > 1.00001 else tuple(map(int, table[round(float(share) * 255)][:3])))
    return colours


def near(colours, expected):
    return np.allclose(colours, expected, atol=10)


def test_the_same_load_has_the_same_colour_in_pictures_on_one_scale(files):
    time = evaluate(SLOW.build()).time
    for name, scenario in (("fast", FAST), ("slow", SLOW)):
        picture = render(files, name, "--scale", f"{1000 * time}ms")
        assert near(cell_colours(picture, scenario), hottest_at_nodes(scenario, time))
        assert picture == render(files, name, "--scale", str(time))
    own = cell_colours(render(files, "fast"), FAST)
    assert not near(own, hottest_at_nodes(FAST, time))


def test_scenario_files_set_the_scale_and_the_slowest_is_used(files):
    times = {name: evaluate(scenario.build()).time for name, scenario in (("fast", FAST), ("slow", SLOW))}
    assert times["slow"] > times["fast"]
    both = [word for name in times for word in ("--scale", str(files / f"{name}.fabriscope.json"))]
    for options, time in ((both, times["slow"]), (both[:2], times["fast"])):
        for name, scenario in (("fast", FAST), ("slow", SLOW)):
            picture = render(files, name, *options)
            assert near(cell_colours(picture, scenario), hottest_at_nodes(scenario, time))


def test_the_legend_names_the_reference_of_the_scale(files):
    slow = ("--scale", str(files / "slow.fabriscope.json"))
    for options, words in ((slow, "relative to slow"), (("--scale", "2s"), "relative to a fixed time")):
        render(files, "fast", *options, out="picture.svg")
        text = (files / "picture.svg").read_text(encoding="utf-8")
        assert words in text
    assert "100 % = 2 s per unit" in text


def test_matrices_use_the_scale(files):
    assert render(files, "groups", "--view", "matrix", "--scale", "50s") != render(files, "groups", "--view", "matrix")


@pytest.mark.parametrize("name", ["group 2", "node g1 r0 n1", "switch g1 r0", "local g0 r0 -> g0 r1", "group 0 <-> 1"])
def test_a_focused_part_is_enlarged(name, files, picture_of):
    assert render(files, "groups", "--focus", name) != picture_of("machine")
    render(files, "groups", "--focus", name, out="picture.svg")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--scale", "fast"), "neither a time, such as 80ms, nor a scenario file"),
        (("--scale", "0"), "must be positive and finite"),
        (("--scale", "-3s"), "neither a time"),
        (("--scale", "1e400"), "finite"),
        (("--focus", "group 7"), "no part named 'group 7'"),
        (("--focus", "group 1 -> 2 -> 0"), "examples: group 0, "),
        (("--focus", "group 1", "--view", "job"), "can be used with --view machine only"),
        (
            ("--scale", "1s", "--view", "job"),
            "can be used with --view machine, inner, matrix or distribution; the job view does not show loads",
        ),
        (("--out", "picture.tiff"), "picture.tiff must end in .png, .svg or .pdf"),
        (("--out", "x.svg", "--format", "png"), "x.svg must end in .png"),
    ],
)
def test_invalid_requests_are_one_line_and_draw_nothing(options, words, files, capsys):
    given = [f"{options[0]}={options[1]}", *options[2:]]
    out = [] if "--out" in options else ["--out", str(files / "picture.png")]
    assert main(["render", str(files / "groups.fabriscope.json"), *out, *given]) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    assert words in message
    assert not (files / "picture.png").exists()
