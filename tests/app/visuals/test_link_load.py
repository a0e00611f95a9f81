import numpy as np
import pytest
from numpy.testing import assert_allclose
from vispy.scene import TurntableCamera
from vispy.visuals.transforms import STTransform

from app.visuals import LinkLoad, base

BACKGROUND = np.array([27, 30, 36])
WAYS = pytest.mark.parametrize("instanced", [True, False], ids=["instanced", "per vertex"])


def straight(*ends, z=0.0):
    """Straight links from pairs of points in the plane."""
    ends = np.array(ends, dtype=float).reshape(-1, 2, 2)
    points = np.stack([ends[:, 0], ends.mean(axis=1), ends[:, 1]], axis=1)
    return np.concatenate([points, np.full((len(points), 3, 1), z)], axis=2)


def on_curve(curve, t):
    start, control, end = np.asarray(curve, dtype=float)
    t = np.asarray(t)[..., np.newaxis]
    return (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end


def random_curves(n, seed=3):
    points = np.random.default_rng(seed).uniform(5, 115, (n, 3, 3))
    points[:, :, 2] = 0
    return points


HORIZONTAL = straight([10, 60.5], [110, 60.5])
VERTICAL = straight([60.5, 10], [60.5, 110])
CROSS = np.concatenate([HORIZONTAL, VERTICAL])
BOWS = np.array([[[10, 20, 0], [60, 120, 0], [110, 20, 0]], [[10, 110, 0], [20, 90, 0], [110, 100, 0]]])


@pytest.fixture
def links(canvas, lut):
    """Add links to the canvas."""

    def add(curves, load, width=5.0, segments=24, instanced=None):
        links = LinkLoad(segments, instanced, parent=canvas.scene)
        links.set_lut(lut)
        links.set_geometry(curves, width)
        links.set_load(load)
        return links

    return add


@WAYS
def test_the_middle_of_a_curve_has_the_colour_of_its_load(canvas, links, picture, lut, instanced):
    links(BOWS, [64 / 255, 200 / 255], instanced=instanced)
    image = picture(canvas)
    for curve, colour in zip(BOWS, lut[[64, 200]], strict=True):
        x, y, _ = on_curve(curve, 0.5)
        assert_allclose(image[int(y), int(x)], colour[:3], atol=1)


@WAYS
def test_curves_become_straight_and_curved_again(canvas, links, picture, lut, instanced):
    drawn = links(BOWS[:1], [1.0], instanced=instanced)
    chord, bow = on_curve(BOWS[0], [0.0, 1.0]).mean(axis=0), on_curve(BOWS[0], 0.5)
    for segments, there, gone in ((1, chord, bow), (12, bow, chord)):
        picture(canvas)
        drawn.set_segments(segments)
        image = picture(canvas)
        assert_allclose(image[int(there[1]), int(there[0])], lut[255, :3], atol=1)
        assert_allclose(image[int(gone[1]), int(gone[0])], BACKGROUND, atol=1)


def test_the_window_shows_what_was_set(canvas, links, lut, qtbot):
    links(HORIZONTAL, [1.0])

    def colour_in_the_middle():
        return canvas.native.grabFramebuffer().pixelColor(60, 60).getRgb()[:3]

    qtbot.waitUntil(lambda: np.allclose(colour_in_the_middle(), lut[255, :3], atol=1))


@WAYS
def test_a_new_load_gives_a_new_colour(canvas, links, picture, lut, instanced):
    drawn = links(HORIZONTAL, [0.0], instanced=instanced)
    assert_allclose(picture(canvas)[60, 60], lut[0, :3], atol=1)
    drawn.set_load([100 / 255])
    assert_allclose(picture(canvas)[60, 60], lut[100, :3], atol=1)


@pytest.mark.parametrize(
    ("low", "high", "log", "load", "entry"),
    [
        (0.0, 2.0, False, 1.0, 127.5),
        (0.0, 0.5, False, 0.9, 255),
        (0.5, 1.0, False, 0.2, 0),
        (-1.0, 1.0, False, -0.5, 63.75),
        (0.01, 1.0, True, 0.1, 127.5),
        (0.01, 1.0, True, 0.0, 0),
        (0.001, 1000.0, True, 10.0, 170),
        (0.0, 1.0, False, np.inf, 255),
    ],
)
def test_the_scale_places_a_load_on_the_colour_map(canvas, links, picture, lut, low, high, log, load, entry):
    links(HORIZONTAL, [load]).set_scale(low, high, log)
    expected = 0.5 * (lut[int(np.floor(entry)), :3].astype(float) + lut[int(np.ceil(entry)), :3])
    assert_allclose(picture(canvas)[60, 60], expected, atol=2)


def test_another_colour_map_recolours(canvas, links, picture, lut):
    drawn = links(HORIZONTAL, [1.0])
    picture(canvas)
    drawn.set_lut(lut[::-1])
    assert_allclose(picture(canvas)[60, 60], lut[0, :3], atol=1)


@WAYS
def test_no_data_is_drawn_in_the_missing_colour(canvas, links, picture, instanced):
    drawn = links(CROSS, [np.nan, np.nan], instanced=instanced)
    drawn.set_missing_colour((0.4, 0.4, 0.4, 1.0))
    assert_allclose(picture(canvas)[60, 30], [102] * 3, atol=1)


def test_data_covers_no_data(canvas, links, picture, lut):
    links(CROSS, [0.0, np.nan])
    assert_allclose(picture(canvas)[60, 60], lut[0, :3], atol=1)


@WAYS
@pytest.mark.parametrize("limit", [base.SORT_LIMIT, 0], ids=["sorted", "by depth buffer"])
@pytest.mark.parametrize("loads", [(1.0, 0.0), (0.0, 1.0)])
def test_hot_lies_over_cold(canvas, links, picture, lut, monkeypatch, instanced, limit, loads):
    monkeypatch.setattr(base, "SORT_LIMIT", limit)
    drawn = links(CROSS, loads, instanced=instanced)
    image = picture(canvas)
    assert_allclose(image[60, 60], lut[255, :3], atol=1)
    # Cold links stay visible on either side.
    cold = image[60, 30] if loads[0] == 0 else image[30, 60]
    assert_allclose(cold, lut[0, :3], atol=1)
    drawn.set_load(loads[::-1])
    assert_allclose(picture(canvas)[60, 60], lut[255, :3], atol=1)


def test_layers_cover_each_other_for_all_loads(canvas, links, picture, lut, monkeypatch):
    monkeypatch.setattr(base, "SORT_LIMIT", 0)
    links(HORIZONTAL, [1.0])
    links(VERTICAL, [0.0])
    assert_allclose(picture(canvas)[60, 60], lut[0, :3], atol=1)


@pytest.mark.parametrize("nearer", [0, 1])
def test_in_space_near_lies_over_far(canvas, links, picture, lut, nearer):
    curves = CROSS.copy()
    curves[:, :, 2] = 0.5
    curves[nearer, :, 2] = -0.5
    drawn = links(curves, [0.0, 1.0])
    drawn.set_overlap("depth")
    assert_allclose(picture(canvas)[60, 60], lut[[0, 255][nearer], :3], atol=1)


def coverage(image, colour):
    """The coverage of each pixel, from the channel where line and background differ most."""
    channel = np.abs(colour[:3] - BACKGROUND).argmax()
    return (image[..., channel] - BACKGROUND[channel]) / (float(colour[channel]) - BACKGROUND[channel])


@WAYS
@pytest.mark.parametrize("width", [0.5, 1.0, 2.0, 3.3, 8.0])
@pytest.mark.parametrize("angle", [0, 27, 45, 90])
def test_a_link_is_as_wide_as_asked(canvas, links, picture, lut, instanced, width, angle):
    reach = 50 * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))])
    middle = np.array([60.3, 59.8])
    links(straight([middle - reach, middle + reach]), [1.0], width, segments=1, instanced=instanced)
    area = coverage(picture(canvas), lut[255]).sum()
    assert area / 100 == pytest.approx(width, rel=0.06)


def test_widths_may_differ(canvas, links, picture, lut):
    links(straight([[10, 30], [110, 30]], [[10, 80], [110, 80]]), [1.0, 1.0], [3.0, 9.0], segments=1)
    column = coverage(picture(canvas), lut[255])[:, 60]
    assert column[20:40].sum() == pytest.approx(3, abs=0.1)
    assert column[65:95].sum() == pytest.approx(9, abs=0.1)


def test_width_is_in_logical_pixels(make_canvas, picture, lut):
    canvas = make_canvas(px_scale=2)
    links = LinkLoad(parent=canvas.scene)
    links.set_lut(lut)
    links.set_geometry(straight([[5, 30], [55, 30]]), 3.0)
    links.set_load([1.0])
    image = picture(canvas)
    assert canvas.pixel_scale == 2
    assert image.shape == (120, 120, 3)
    assert coverage(image, lut[255])[:, 60].sum() == pytest.approx(6, abs=0.1)


def test_width_does_not_change_with_zoom(canvas, links, picture, lut):
    drawn = links(straight([[-9, 0], [9, 0]]), [1.0], 4.0)
    for zoom in (3, 300):
        drawn.transform = STTransform(scale=(zoom, zoom), translate=(60, 60))
        assert coverage(picture(canvas), lut[255])[:, 60].sum() == pytest.approx(4, abs=0.1)


def test_width_is_the_same_near_and_far_in_perspective(canvas, space, links, picture, lut):
    space.camera = TurntableCamera(fov=60, elevation=20, azimuth=0, distance=4)
    drawn = links([[[0, -2, 0], [0, 0, 0], [0, 2, 0]]], [1.0], 6.0)
    drawn.parent = space.scene
    drawn.set_overlap("depth")
    rows = coverage(picture(canvas), lut[255]).sum(axis=1)
    lit = rows[rows > 0.5][3:-3]
    assert len(lit) > 20
    assert_allclose(lit, 6, atol=0.15)


@WAYS
def test_a_ribbon_has_neither_gaps_nor_dents(canvas, links, picture, lut, instanced):
    bend = np.array([[10, 100, 0], [60, -60, 0], [110, 100, 0]])
    links([bend], [1.0], 4.0, instanced=instanced)
    covered = coverage(picture(canvas), lut[255])
    x, y, _ = on_curve(bend, np.linspace(0.01, 0.99, 400)).T
    assert covered[y.astype(int), x.astype(int)].min() > 0.99


def test_a_border_pixel_mixes_link_and_background(canvas, links, picture, lut):
    links(straight([[10, 60], [110, 60]]), [1.0], 3.0)
    assert_allclose(coverage(picture(canvas), lut[255])[56:64, 60], [0, 0, 0.5, 1, 1, 0.5, 0, 0], atol=0.02)


def test_a_control_point_on_an_end_is_a_straight_link(canvas, links, picture, lut):
    links([[[10, 60, 0], [10, 60, 0], [110, 60, 0]]], [1.0])
    assert_allclose(picture(canvas)[60, 11:110], np.tile(lut[255, :3], (99, 1)), atol=1)


@WAYS
def test_a_link_without_length_draws_nothing(canvas, links, picture, instanced):
    links(np.full((1, 3, 3), 50.0), [1.0], instanced=instanced)
    assert (picture(canvas) == BACKGROUND).all()


@WAYS
def test_no_links_draw_nothing(canvas, links, picture, instanced):
    links(np.empty((0, 3, 3)), [], instanced=instanced)
    assert (picture(canvas) == BACKGROUND).all()


@WAYS
def test_links_may_come_and_go(canvas, links, picture, lut, instanced):
    drawn = links(CROSS, [0.0, 1.0], instanced=instanced)
    picture(canvas)
    drawn.set_geometry(np.empty((0, 3, 3)), 5.0)
    assert (picture(canvas) == BACKGROUND).all()
    curves = straight(*[[[10, y], [110, y]] for y in (20.5, 60.5, 100.5)])
    drawn.set_geometry(curves, 5.0)
    drawn.set_load([0.0, 0.4, 1.0])
    image = picture(canvas)
    assert_allclose(image[[20, 60, 100], 60], lut[[0, 102, 255], :3], atol=1)


@WAYS
def test_other_links_have_no_load_yet(canvas, links, picture, instanced):
    drawn = links(CROSS, [0.5, 1.0], instanced=instanced)
    drawn.set_missing_colour((1.0, 1.0, 1.0, 1.0))
    drawn.set_geometry(HORIZONTAL, 5.0)
    assert_allclose(picture(canvas)[60, 60], [255] * 3)


def test_moved_links_keep_their_load(canvas, links, picture, lut):
    drawn = links(HORIZONTAL, [1.0])
    drawn.set_geometry(VERTICAL, 5.0)
    image = picture(canvas)
    assert_allclose(image[30, 60], lut[255, :3], atol=1)
    assert_allclose(image[60, 30], BACKGROUND)


def test_opacity_mixes_with_the_background(canvas, links, picture, lut):
    links(HORIZONTAL, [1.0]).set_opacity(0.5)
    assert_allclose(picture(canvas)[60, 60], 0.5 * lut[255, :3] + 0.5 * BACKGROUND, atol=1)
    assert (canvas.render()[..., 3] == 255).all()


@pytest.mark.parametrize("limit", [base.SORT_LIMIT, 0], ids=["sorted", "by depth buffer"])
def test_both_drawing_methods_give_the_same_picture(make_canvas, picture, lut, monkeypatch, limit):
    monkeypatch.setattr(base, "SORT_LIMIT", limit)
    rng, images = np.random.default_rng(5), []
    loads, widths = rng.random(60), rng.uniform(0.4, 4, 60)
    loads[::9] = np.nan
    for instanced in (True, False):
        canvas = make_canvas()
        links = LinkLoad(12, instanced, parent=canvas.scene)
        assert links.instanced is instanced
        links.set_lut(lut)
        links.set_geometry(random_curves(60), widths)
        links.set_load(loads)
        images.append(picture(canvas))
    assert (images[0] != BACKGROUND).any()
    assert_allclose(images[0], images[1], atol=1)


def test_later_changes_to_the_callers_arrays_have_no_effect(canvas, links, picture, lut):
    curves, load = HORIZONTAL.astype(np.float32), np.ones(1, dtype=np.float32)
    drawn = links(curves, load)
    curves[:] = load[:] = 0
    assert_allclose(picture(canvas)[60, 60], lut[255, :3], atol=1)
    assert drawn.count == 1
