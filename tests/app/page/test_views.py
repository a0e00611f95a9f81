"""Captions as HTML, and selected items as parts of the machine."""

import pytest

from app.model.parts import item_named
from app.model.scenes import Seen
from app.page.views import ItemData, camera_data, caption_html, item_data
from app.session.evaluation import evaluate_scenario
from core.spec import SpecError, no_progress
from tests.app.scenarios import HALO


@pytest.fixture(scope="module")
def evaluation():
    return evaluate_scenario(HALO, None, no_progress)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**64 GB/s** per node", "<p><b>64\N{NO-BREAK SPACE}GB/s</b> per node</p>"),
        ("only *shortest* paths, `x < y`", "<p>only <i>shortest</i> paths, <code>x &lt; y</code></p>"),
        ("4 * 4 * 4 torus, a_b_c", "<p>4 * 4 * 4 torus, a_b_c</p>"),
        ("one\n\ntwo", "<p>one</p><p>two</p>"),
        ("<b>&</b> </script>", "<p>&lt;b&gt;&amp;&lt;/b&gt; &lt;/script&gt;</p>"),
        ("", ""),
    ],
)
def test_captions_have_bold_italic_and_code_only(text, html):
    assert caption_html(text) == html


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("supernode 9", ItemData("group", 9)),
        ("supernode 1 -> 2", ItemData("bundle", 34)),
        ("node 0 d1 12", ItemData("vertex", 12)),
        ("task 0 -> 1", None),
    ],
)
def test_items_are_parts_of_the_machine(evaluation, name, expected):
    assert item_data(item_named(name, evaluation.report), evaluation.case) == expected


def test_a_task_is_its_node(evaluation):
    node = int(evaluation.case.mapping.nodes[5])
    assert item_data(item_named("task 5", evaluation.report), evaluation.case) == ItemData("vertex", node)


def test_cameras_of_scenes_have_the_corners_of_their_focus(evaluation):
    assert camera_data(Seen(), evaluation) is None
    (x, y, width, height) = evaluation.case.network.layout.boxes[1].tolist()
    (low, high) = camera_data(Seen(focus="supernode 1"), evaluation).corners
    assert (low[0], high[1]) == pytest.approx((x - width / 2, y + height / 2))
    assert camera_data(Seen(zoom=4.0, shift=(1.0, 2.0)), evaluation).shift == (1.0, 2.0)
    with pytest.raises(SpecError, match="no part named"):
        camera_data(Seen(focus="nowhere"), evaluation)
