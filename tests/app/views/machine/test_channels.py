"""Channels on the machine: arcs from rank to rank in the colours of their channels, found by the pointer."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.pointing import tasks_of_flow
from app.style.theme import DARK, LIGHT
from app.views.machine import channels as channels_module
from app.views.machine.channel_layer import area_under
from app.views.machine.channel_legend import channel_entries, channels_rect
from app.views.machine.channels import arcs_of, channel_colour
from app.views.machine.geometry import MachineGeometry, shading_of
from app.views.machine.paint import HEAD, fit
from app.views.machine.picture import Picture
from app.views.machine.scene import compose
from tests.app.channelled import BAD, GOOD, RINGS, TREES, messages, on_tree
from tests.app.sessions import state_of, with_fields
from tests.app.views.machine.test_paint import SIZE, painted
from tests.colour_vision import LACKING, apart

GEOMETRY = MachineGeometry(RINGS.network.build())


def drawn(scenario=RINGS, chosen=None, theme=DARK):
    return with_fields(state_of(scenario, theme), on_machine=True, only=chosen)


def middles(state, camera, size):
    curves = arcs_of(GEOMETRY, state).curves(camera, size)
    return (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_arcs_have_the_colours_of_their_channels(qapp, theme):
    state = drawn(theme=theme)
    camera = fit(GEOMETRY, SIZE, HEAD)
    image, arcs = painted(state), arcs_of(GEOMETRY, state)
    alike = []
    for (x, y), channel in zip(middles(state, camera, SIZE).tolist(), arcs.channel.tolist(), strict=True):
        around = [QColor(image.pixel(round(x) + dx, round(y) + dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        wanted = channel_colour(theme, channel)
        near = [sum(abs(a - b) for a, b in zip(c.getRgb()[:3], wanted.getRgb()[:3], strict=True)) for c in around]
        alike.append(min(near) < 120)
    assert np.mean(alike) > 0.8  # other arcs cover some


def test_one_channel_or_all_are_drawn():
    assert arcs_of(GEOMETRY, state_of(RINGS)) is None
    assert arcs_of(GEOMETRY, drawn()).message.size == 24
    assert set(arcs_of(GEOMETRY, drawn(chosen=1)).channel.tolist()) == {1}
    # A number that this job lacks: all.
    assert arcs_of(GEOMETRY, drawn(chosen=9)).message.size == 24


def test_of_more_channels_than_colours_each_pair_of_nodes_has_one_arc():
    few, many = (on_tree(messages(*[GOOD, BAD] * k), [f"channel {c}" for c in range(2 * k)]) for k in (4, 5))
    assert arcs_of(GEOMETRY, drawn(few)).message.size == 8 * 12
    arcs, channels = arcs_of(GEOMETRY, drawn(many)), drawn(many).evaluation.case.job.channels
    pairs = [(int(channels.src[m]), int(channels.dst[m])) for m in arcs.message.tolist()]
    assert sorted(pairs) == sorted({*zip(channels.src.tolist(), channels.dst.tolist(), strict=True)})
    assert set(arcs.channel.tolist()) == {0, 1}  # the first channel of each pair
    assert arcs_of(GEOMETRY, drawn(many, chosen=9)).message.size == 12


def test_arcs_in_opposite_directions_bend_to_opposite_sides():
    state = drawn(TREES)
    arcs, camera = arcs_of(GEOMETRY, state), fit(GEOMETRY, SIZE)
    curves, channels = arcs.curves(camera, SIZE), state.evaluation.case.job.channels
    number = {(int(channels.src[m]), int(channels.dst[m])): k for k, m in enumerate(arcs.message.tolist())}
    for (src, dst), k in number.items():
        back = number[dst, src]
        np.testing.assert_allclose(curves[k, 0], curves[back, 2])
        straight = (curves[k, 0] + curves[k, 2]) / 2
        np.testing.assert_allclose(curves[k, 1] - straight, straight - curves[back, 1], atol=1e-6)


def test_messages_within_a_node_have_no_arc():
    inside = on_tree(messages(GOOD), ["channel 0"])
    state = with_fields(state_of(inside), on_machine=True)
    case = state.evaluation.case
    assert arcs_of(GEOMETRY, state).message.size == sum(case.mapping.nodes[a] != case.mapping.nodes[b] for a, b in
                                                         zip(GOOD, [*GOOD[1:], 0], strict=True))  # fmt: skip


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_eight_channels_are_distinguishable_by_everyone(theme):
    colours = [np.array(channel_colour(theme, channel).getRgb()[:3]) for channel in range(8)]
    for k, colour in enumerate(colours):
        for other in colours[:k]:
            assert min(apart(colour, other, lacking) for lacking in LACKING) > 15


def test_pointing_at_an_arc_names_rank_channel_and_hop(machine):
    view = machine(RINGS)
    view.session.channels.choose(1)
    view.grab()
    layer = view._channels._picture
    for k, message in enumerate(layer.of.arcs.message.tolist()[:6]):
        channels = view.state.evaluation.case.job.channels
        x, y = layer.lines[k][7]
        item = view._channels.item_at(float(x), float(y), view.camera, view.state)
        assert tasks_of_flow(item) == (channels.src[message], channels.dst[message])
    ways = (way for way in layer.lines[:, 7].tolist() if getattr(view.picker.at(*way), "kind", "") != "node")
    x, y = next(ways)  # not on a cell, which comes first
    view._pointer = QPointF(x, y)
    view._on_hover_due()
    source = BAD.index(tasks_of_flow(view.state.hover)[0]) + 1
    assert f"channel 1: hop {source} of 12" in view.readout_text
    assert view.state.drawn_paths is not None  # the links of this hop are drawn
    assert view._channels.item_at(-500.0, -500.0, view.camera, view.state) is None


def test_the_picture_of_arcs_follows_the_camera_and_the_choice(machine):
    view = machine(RINGS)
    view.session.channels.draw(True)
    view.grab()
    before = view._channels._picture
    view.controller.move(view.camera.zoomed(1.5, 300.0, 300.0, view._size))
    view.grab()
    after = view._channels._picture
    assert after is not before
    assert after.of.camera == view.camera
    view.session.channels.choose(0)
    view.grab()
    assert view._channels._picture.of.arcs.message.size == 12
    view.session.channels.draw(False)
    view.grab()
    assert view._channels._picture is None


def test_a_picture_of_another_camera_is_moved_until_the_next_is_drawn(machine):
    view = machine(RINGS)
    view.session.channels.draw(True)
    view.grab()
    shown, camera = view._channels._picture.of, view.camera.zoomed(2.0, 100.0, 50.0, view._size)
    area = area_under(shown, camera, view._size)
    x, y = shown.arcs.curves(shown.camera, shown.size)[3, 1]
    there = shown.arcs.curves(camera, view._size)[3, 1]
    scale = area.width() / shown.size[0]
    assert (area.x() + scale * x, area.y() + scale * y) == pytest.approx(tuple(there), abs=0.01)


def test_many_arcs_are_thinner_and_a_crowd_has_no_arrows(qapp, monkeypatch):
    usual = painted(drawn())
    monkeypatch.setattr(channels_module, "CROWD", 1)
    monkeypatch.setattr(channels_module, "MANY", 0)
    assert painted(drawn()) != usual


def test_the_legend_names_channels_by_colour(qapp):
    many = on_tree(messages(*[GOOD] * 18), [f"channel {k}" for k in range(18)])
    for state, texts in (
        (state_of(RINGS), []),
        (drawn(), ["0", "1"]),
        (drawn(chosen=1), ["channel 1"]),
        (drawn(many), ["0, 8, …", "1, 9, …", "2, 10", *(f"{k}, {k + 8}" for k in range(3, 8))]),
    ):
        assert [text for text, _ in entries_in(state, 900)] == texts
    narrow = [text for text, _ in entries_in(drawn(many), 260)]
    assert narrow[:2] == ["0, 8, …", "1, 9, …"]
    assert narrow[-1] == "…"
    assert len(narrow) < 8


def entries_in(state, width):
    image = QImage(width, 400, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    scene = compose(GEOMETRY, shading_of(GEOMETRY, state), fit(GEOMETRY, (width, 400)), (width, 400), 100.0)
    picture = Picture(painter, scene, fit(GEOMETRY, (width, 400)), (width, 400), state)
    entries, area = channel_entries(picture), channels_rect(picture)
    painter.end()
    assert area.right() <= width
    assert area.isEmpty() == (not entries)
    return entries
