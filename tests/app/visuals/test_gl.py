import pytest
from numpy.testing import assert_allclose
from vispy.scene import SceneCanvas

from app.visuals import LinkLoad, gl, instancing_available, use_best_gl


@pytest.fixture(autouse=True)
def best_gl_afterwards(qapp):
    yield
    use_best_gl()


def test_instancing_is_used_where_the_driver_offers_it(qapp):
    use_best_gl()
    assert instancing_available()
    assert LinkLoad().instanced


def test_without_instancing_marks_are_drawn_all_the_same(qtbot, lut, monkeypatch):
    monkeypatch.setattr(gl, "opengl_version", lambda: (3, 2))
    use_best_gl()
    assert not instancing_available()
    canvas = SceneCanvas(keys=None, size=(60, 60), show=True)
    qtbot.addWidget(canvas.native, before_close_func=lambda _widget: canvas.close())
    links = LinkLoad(parent=canvas.scene)
    links.set_lut(lut)
    links.set_geometry([[[5, 30, 0], [30, 30, 0], [55, 30, 0]]], 6.0)
    links.set_load([1.0])
    assert not links.instanced
    assert_allclose(canvas.render()[30, 30], lut[255], atol=1)
    assert_allclose(canvas.render()[5, 5, :3], 0)
