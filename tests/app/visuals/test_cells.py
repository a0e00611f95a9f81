import numpy as np
import pytest
from numpy.testing import assert_allclose
from vispy.scene import TurntableCamera
from vispy.visuals.transforms import STTransform

from app.visuals import Cells

BACKGROUND = np.array([27, 30, 36])
WAYS = pytest.mark.parametrize("instanced", [True, False], ids=["instanced", "per vertex"])


def grid(columns, rows, pitch, origin=(0.0, 0.0)):
    """Centres of touching cells, row by row."""
    x, y = np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5)
    return np.stack([origin[0] + pitch * x.ravel(), origin[1] + pitch * y.ravel(), 0 * x.ravel()], axis=1)


ONE = np.array([[60.0, 60.0, 0.0]])


@pytest.fixture
def cells(canvas, lut):
    """Add cells to the canvas."""

    def add(centres, size, load, gap=0.0, instanced=None):
        cells = Cells(instanced, parent=canvas.scene)
        cells.set_lut(lut)
        cells.set_style(gap=gap)
        cells.set_geometry(centres, size)
        cells.set_load(load)
        return cells

    return add


def lit(image):
    return (image != BACKGROUND).any(axis=-1)


@WAYS
def test_a_cell_fills_its_rectangle_with_its_colour(canvas, cells, picture, lut, instanced):
    cells([[50, 60, 0]], [40, 20], [100 / 255], instanced=instanced)
    expected = np.tile(BACKGROUND, (120, 120, 1))
    expected[50:70, 30:70] = lut[100, :3]
    assert_allclose(picture(canvas), expected, atol=1)


@WAYS
def test_each_cell_has_its_own_load(canvas, cells, picture, lut, instanced):
    drawn = cells(grid(4, 2, 20, (10, 30)), 20, np.arange(8) / 255, instanced=instanced)
    image = picture(canvas)
    assert_allclose(image[40, [20, 40, 60, 80]], lut[:4, :3], atol=1)
    assert_allclose(image[60, [20, 40, 60, 80]], lut[4:8, :3], atol=1)
    drawn.set_load(np.arange(8)[::-1] / 255)
    assert_allclose(picture(canvas)[40, [20, 40, 60, 80]], lut[[7, 6, 5, 4], :3], atol=1)


def test_no_data_is_grey(canvas, cells, picture):
    cells(ONE, 20, [np.nan]).set_missing_colour((0.6, 0.6, 0.6, 1.0))
    assert_allclose(picture(canvas)[60, 60], [153] * 3)


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.77])
def test_gaps_are_crisp_and_alike_wherever_cells_lie(canvas, cells, picture, lut, offset):
    cells(grid(8, 4, 10.4, (10 + offset, 20)), 10.4, np.ones(32), gap=1.0)
    image = picture(canvas)
    hot = np.abs(image - lut[255, :3]).max(axis=-1) <= 1
    assert (hot | ~lit(image)).all()
    row = lit(image)[25]
    assert np.diff(np.flatnonzero(row)).max() == 2
    assert (~row[np.flatnonzero(row)[0] : np.flatnonzero(row)[-1]]).sum() == 7


def test_gaps_close_when_cells_are_small(canvas, cells, picture):
    cells(grid(30, 4, 3.0, (10, 20)), 3.0, np.ones(120), gap=1.0)
    assert lit(picture(canvas))[20:32, 10:100].all()


def test_no_cell_vanishes(canvas, cells, picture, lut):
    cells(ONE + 0.5, 0.001, [1.0])
    image = picture(canvas)
    assert_allclose(image[60, 60], lut[255, :3], atol=1)
    assert lit(image).sum() == 1


def test_the_hottest_of_cells_on_one_pixel_shows(canvas, cells, picture, lut):
    load = np.linspace(0, 1, 50)
    np.random.default_rng(0).shuffle(load)
    cells(np.tile(ONE + 0.5, (50, 1)), 0.01, load)
    assert_allclose(picture(canvas)[60, 60], lut[255, :3], atol=1)


def test_sizes_grow_with_zoom(canvas, cells, picture):
    drawn = cells([[0, 0, 0]], 2.0, [1.0])
    for zoom in (20, 40):
        drawn.transform = STTransform(scale=(zoom, zoom), translate=(60, 60))
        assert lit(picture(canvas)).sum() == (2 * zoom) ** 2


def test_pixels_are_logical(make_canvas, picture):
    canvas = make_canvas(px_scale=2)
    cells = Cells(parent=canvas.scene)
    cells.set_style(gap=0.0)
    cells.set_geometry(0.5 * ONE, 0.001)
    cells.set_load([1.0])
    assert lit(picture(canvas)).sum() == 2 * 2


@pytest.mark.parametrize("azimuth", [0, 30, 75])
@pytest.mark.parametrize("elevation", [0, 40, 90])
def test_in_space_a_cell_faces_the_viewer_at_its_size(canvas, space, cells, picture, azimuth, elevation):
    space.camera = TurntableCamera(fov=0, elevation=elevation, azimuth=azimuth, scale_factor=6)
    drawn = cells([[0, 0, 0]], 2.0, [1.0])
    drawn.parent = space.scene
    drawn.set_overlap("depth")
    columns, rows = lit(picture(canvas)).sum(axis=1).max(), lit(picture(canvas)).sum(axis=0).max()
    assert abs(columns - 40) <= 2
    assert abs(rows - 40) <= 2


@pytest.mark.parametrize("nearer", [0, 1])
def test_in_space_near_lies_over_far(canvas, cells, picture, lut, nearer):
    centres = np.tile(ONE, (2, 1))
    centres[:, 2] = 0.5
    centres[nearer, 2] = -0.5
    cells(centres, 20, [0.0, 1.0]).set_overlap("depth")
    assert_allclose(picture(canvas)[60, 60], lut[[0, 255][nearer], :3], atol=1)


def test_corners_may_be_round(canvas, cells, picture):
    cells(ONE, 40, [1.0]).set_style(gap=0.0, radius=100.0)
    image = lit(picture(canvas))
    assert not image[[41, 41, 78, 78], [41, 78, 41, 78]].any()
    assert image[[41, 60, 60, 78], [60, 41, 78, 60]].all()


@WAYS
def test_no_cells_draw_nothing(canvas, cells, picture, instanced):
    cells(np.empty((0, 3)), 1.0, [], instanced=instanced)
    assert not lit(picture(canvas)).any()


@WAYS
def test_cells_may_come_and_go(canvas, cells, picture, lut, instanced):
    drawn = cells(grid(4, 2, 20, (10, 30)), 20, np.zeros(8), instanced=instanced)
    picture(canvas)
    drawn.set_geometry(grid(2, 1, 40, (20, 40)), 40)
    drawn.set_load([0.0, 1.0])
    assert_allclose(picture(canvas)[60, [40, 80]], lut[[0, 255], :3], atol=1)


def test_both_drawing_methods_give_the_same_picture(make_canvas, picture, lut):
    images, rng = [], np.random.default_rng(2)
    centres = np.column_stack([rng.uniform(10, 110, (80, 2)), np.zeros(80)])
    sizes, load = rng.uniform(0.2, 20, (80, 2)), rng.random(80)
    for instanced in (True, False):
        canvas = make_canvas()
        cells = Cells(instanced, parent=canvas.scene)
        cells.set_lut(lut)
        cells.set_style(gap=1.5, radius=2.0)
        cells.set_geometry(centres, sizes)
        cells.set_load(load)
        images.append(picture(canvas))
    assert lit(images[0]).any()
    assert_allclose(images[0], images[1], atol=1)


@WAYS
def test_a_load_beyond_the_scale_has_a_colour_of_its_own(canvas, cells, picture, lut, instanced):
    drawn = cells(grid(3, 1, 20, (10, 30)), 20, [0.5, 1.0, 1.2], instanced=instanced)
    assert_allclose(picture(canvas)[40, [40, 60]], lut[[255, 255], :3], atol=1)
    drawn.set_beyond_colour((0.0, 1.0, 0.0, 1.0))
    image = picture(canvas)
    assert_allclose(image[40, 40], lut[255, :3], atol=1)
    assert_allclose(image[40, 60], (0, 255, 0), atol=1)
