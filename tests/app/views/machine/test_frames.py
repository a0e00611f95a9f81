"""Names of boxes and of the groups in them: on no cell, on no other name, and only in the picture."""

import itertools
from functools import cache

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from app.views.legend import legend_rect
from app.views.machine.camera import Camera
from app.views.machine.frames import host_frames, inner_frames
from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.label_space import LabelSpace
from app.views.machine.overlay import paint_overlay
from app.views.machine.paint import fit
from app.views.machine.picker import scene_headline
from app.views.machine.picture import Picture
from app.views.machine.scene import compose
from core.job import AllToAll
from core.load.compatibility import fitted
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Clex, Dragonfly, Edges, Percs, Rail, Xgft
from core.routing import Minimal
from tests.app.sessions import state_of
from tests.core.network.formats.topologies import with_nvswitch

SIZE = (720.0, 600.0)
CLEX = Clex(k=10, levels=3)


@pytest.fixture
def names(monkeypatch):
    """The texts written, and where."""
    written = []
    write = LabelSpace.write

    def note(self, text, rect, *args, **options):
        written.append((text, QRectF(rect)))
        write(self, text, rect, *args, **options)

    monkeypatch.setattr(LabelSpace, "write", note)
    return written


@cache
def machine_of(spec):
    """A machine, built once and viewed from many sides."""
    state = state_of(fitted(Scenario(spec, AllToAll(tasks=16), Sequential(), Minimal())))
    return state, MachineGeometry(state.evaluation.case.network)


@pytest.fixture
def paint(qapp):
    """Paint a network onto an image as a camera sees it."""
    kept = []

    def paint_network(spec, look) -> Picture:
        state, geometry = machine_of(spec)
        camera: Camera = look(fit(geometry, SIZE), geometry)
        scene = compose(geometry, LinkShading(geometry, state.utilisation), camera, SIZE, 100.0)
        image = QImage(int(SIZE[0]), int(SIZE[1]), QImage.Format.Format_ARGB32)
        painter = QPainter(image)
        picture = Picture(painter, scene, camera, SIZE, state)
        paint_overlay(picture)
        painter.end()
        kept.append(image)
        return picture

    return paint_network


def onto(box, zoom=1.0, dx=0.0, dy=0.0):
    def look(camera, geometry):
        return camera.onto(geometry.layout.boxes[box], SIZE).zoomed(zoom, SIZE[0] / 2, SIZE[1] / 2, SIZE).panned(dx, dy)

    return look


LOOKS = [
    lambda camera, geometry: camera,
    *(onto(1, zoom, dx, dy) for zoom in (0.5, 1.0, 1.6, 2.5, 5.0) for dx, dy in ((0, 0), (-130, -90), (90, 140))),
]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("spec", [CLEX, Clex(k=4, levels=2), Dragonfly(), Percs(8, 4)], ids=lambda spec: spec.tag())
def test_no_name_covers_a_cell_or_another_name(paint, names, spec, look):
    picture = paint(spec, look)
    cells = [QRectF(*cell) for cell in picture.cells[picture.in_sight].tolist()]
    surface = QRectF(0, 0, *SIZE)
    for _, rect in names:
        assert surface.contains(rect)
        assert not rect.intersects(legend_rect(SIZE))
        assert not any(rect.intersects(cell) for cell in cells)
    inner = [rect for text, rect in names if text.startswith("c")]
    assert not any(first.intersects(second) for first, second in itertools.combinations(inner, 2))


def test_inner_groups_are_named_next_to_their_box_on_their_own_side(paint, names):
    picture = paint(CLEX, onto(1, 0.9))
    frames = inner_frames(picture, 1)
    box = picture.boxes[1]
    rects = dict(names)
    assert len(frames) == 10
    for k in range(10):
        rect, frame = rects[f"c{k}"], frames[10 + k]
        assert frame.top() < rect.center().y() < frame.bottom()
        if k % 2 == 0:
            assert rect.right() < box[0] - 3
        else:
            assert rect.left() > box[0] + box[2] + 3


def test_a_box_with_an_invisible_top_is_named_inside_if_there_is_room(paint, names):
    picture = paint(Dragonfly(), onto(1, 1.5, 0, -60))
    assert picture.boxes[1, 1] < 0
    (rect,) = [rect for text, rect in names if text == "group 1"]
    left, top, width, height = picture.boxes[1]
    assert QRectF(left, top, width, height).contains(rect)


def test_free_space_is_covered_by_nothing(paint):
    picture = paint(Dragonfly(), onto(1))
    paper = QImage(1, 1, QImage.Format.Format_ARGB32)  # legends ask a painter how wide their words are
    picture.painter.begin(paper)
    room = LabelSpace(picture)
    picture.painter.end()
    cell = QRectF(*picture.cells[picture.in_sight[0]].tolist())
    assert not room.free(cell)
    free = room.inside(picture.boxes[1], 60.0, 14.0)
    assert room.free(free)
    assert room.inside(picture.boxes[1], 60.0, float(picture.boxes[1, 3])) is None
    assert not room.free(free.translated(-free.left() - 1, 0))


def as_a_whole(start, _):
    return start


@pytest.mark.parametrize(
    "spec",
    [
        Dragonfly(4, 2, 5, 4, nics=2),
        Dragonfly(4, 2, 3, 4, nics=4),
        Rail(2, 4, 4, 4, nics=4),
        Xgft((4, 6), (1, 2), nics=2),
        Dragonfly(4, 2, 3, 6, nics=4),
    ],
)  # fmt: skip
def test_frames_of_hosts_hold_their_nics_only(paint, spec):
    picture = paint(spec, as_a_whole)
    frames, network = host_frames(picture), picture.geometry.network
    cells = [QRectF(*cell) for cell in picture.cells.tolist()]
    for host, frame in frames.items():
        nodes = [node for node, cell in enumerate(cells) if frame.contains(cell.center())]
        assert nodes == [*range(host * spec.nics, (host + 1) * spec.nics)]
        assert all(frame.contains(cells[node]) for node in nodes)
    inside = [frame.adjusted(0.1, 0.1, -0.1, -0.1) for frame in frames.values()]
    assert not any(a.intersects(b) for a, b in itertools.combinations(inside, 2))
    # A host with NICs at two switches, two rows apart, has no frame.
    split = spec == Dragonfly(4, 2, 3, 6, nics=4)
    assert (len(frames) < network.host_slots.count) == split


@pytest.fixture
def servers(tmp_path):
    """Four servers of eight GPUs on rails, from a topology file."""
    (tmp_path / "t.xml").write_text(with_nvswitch())
    return Edges(file=str((tmp_path / "t.xml").resolve()), servers=4, fabric="rail")


def test_servers_are_boxes_with_their_names_and_switches_outside_have_theirs(paint, names, servers):
    picture = paint(servers, as_a_whole)
    heads = {text for text, _ in names}
    assert heads == {f"server s{k}" for k in range(4)} | {f"rail{k}" for k in range(8)}
    assert host_frames(picture) == {}
    assert scene_headline(picture.scene).startswith("4 servers: ")


def test_devices_in_the_box_of_a_server_have_their_names_without_its_name(paint, monkeypatch, servers):
    written = []
    monkeypatch.setattr(Picture, "centred", lambda self, text, *args: written.append(text))
    paint(servers, onto(2))
    assert {f"gpu{k}" for k in range(8)} | {"cpu0", "cpu1"} <= {*written}
    assert not [text for text in written if text.startswith("s2-")]


def test_hosts_are_framed_once_and_only_if_large(paint):
    assert host_frames(paint(Dragonfly(4, 2, 5, 1, nics=2), as_a_whole)) == {}
    assert host_frames(paint(Dragonfly(16, 4, 33, 16, nics=4), as_a_whole)) == {}
    assert host_frames(paint(Dragonfly(4, 2, 5, 4), as_a_whole)) == {}
