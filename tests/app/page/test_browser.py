"""Pages in a browser, if installed: figures, pictures, pointer, keys, themes, and pages without WebGL or scripts."""

import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from app.cli.main import main
from app.session.evaluation import evaluate_scenario
from app.session.moments import moment_of
from app.storage.presets import preset
from app.style.theme import DARK, LIGHT
from app.views.legend import HEADINGS
from app.wording.numbers import gbs, percent
from core.figures.resilience import components, resilience
from core.files import write_scenario
from core.job import AllToAll
from core.load.compare import Difference
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import FatTree
from core.routing import Minimal
from core.spec import no_progress
from core.text import figure
from core.timing import detailed_timeline
from tests.app.measured import COUNTED, LEVELS, series_scenario
from tests.browser import BROWSER, Browser

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
HALO = "power775-halo"
PAGES = {
    "halo": (HALO,),
    "pair": ("power775-smallest", "b.fabriscope.json"),
    "steps": ("nas-ft-skeleton",),
    "tour": ("start-here",),
    "solid": ("torus-8x8x8-halo",),
    "hostile": ("h.fabriscope.json",),
    "series": ("s.fabriscope.json",),
    "failures": ("t.fabriscope.json", "--failures", "cables"),
}
FAILING = Scenario(FatTree(arity=4, levels=2), AllToAll(tasks=16), Sequential(), Minimal(spread="equal"))
"""The failure of a cable to a node disconnects flows, and of another cable slows the job."""
PHONE = 400
NAME = "</script><img src=x onerror='window.harmed=1'>"


@pytest.fixture(scope="module")
def folder(qapp, tmp_path_factory):
    """Write all pages."""
    folder = tmp_path_factory.mktemp("pages")
    smallest = preset("power775-smallest")
    write_scenario(folder / "b.fabriscope.json", replace(smallest, mapping=Random(3)))
    graph = {"type": "NetworkGraph", "protocol": "x", "version": "1", "metric": None}
    names = [f"{letter} {NAME}" for letter in "abc"]
    nodes = [{"id": name} for name in names]
    links = [{"source": a, "target": b, "cost": 1.0} for a, b in pairwise(names)]
    (folder / "g.json").write_text(json.dumps(graph | {"nodes": nodes, "links": links}))
    hostile = {
        "fabriscope": 1, "network": {"type": "edges", "file": "g.json"}, "job": {"type": "all-to-all", "tasks": 3},
        "mapping": {"type": "sequential"}, "routing": {"type": "minimal"}, "note": NAME,
    }  # fmt: skip
    (folder / "h.fabriscope.json").write_text(json.dumps(hostile))
    write_scenario(folder / "s.fabriscope.json", series_scenario(folder))
    write_scenario(folder / "t.fabriscope.json", FAILING)
    for name, arguments in PAGES.items():
        files = [str(folder / word) if word.endswith(".json") else word for word in arguments]
        assert main(["page", *files, "--out", str(folder / f"{name}.html")]) == 0
    return folder


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def browser(running, folder):
    """A browser that opens pages by their names and checks that they request nothing and report no errors."""

    def open_page(name, *size, **options):
        running.open(folder / f"{name}.html", *size, **options)
        running.settle()
        return running

    yield open_page
    assert running.messages == []
    assert {address for address in running.requests if not address.startswith("data:")} <= {
        (folder / f"{name}.html").as_uri() for name in PAGES
    }


def text(browser, selector):
    return browser.evaluate(f"document.querySelector({json.dumps(selector)}).innerText")


def rows(browser, selector):
    script = (
        f"Array.from(document.querySelectorAll('{selector} tr'), (row) => Array.from(row.cells, (c) => c.innerText))"
    )
    return browser.evaluate(script)


def area(browser, number=0):
    """Left, top, width and height of a picture."""
    script = f"document.querySelectorAll('.room')[{number}].getBoundingClientRect()"
    return [browser.evaluate(f"{script}.{side}") for side in ("left", "top", "width", "height")]


def zoom_into(browser, x, y, times=8):
    for _ in range(times):
        browser.wheel(x, y, -120)


@pytest.fixture(scope="module")
def report():
    return evaluate(preset(HALO).build())


def test_the_figures_shown_are_those_of_evaluate(browser, report):
    page = browser("halo")
    assert text(page, ".panel .big") == gbs(report.throughput_gbs)
    assert text(page, ".panel .verdict") == "Limited by LR links."
    expected = [
        [c.name, "", percent(time / report.time), gbs(c.throughput_gbs)]
        for c, time in zip(report.classes, report.class_times, strict=True)
    ]
    assert rows(page, ".classes tbody") == expected


@pytest.mark.parametrize(("name", "scenario"), [("halo", HALO), ("steps", "nas-ft-skeleton")])
def test_the_figures_equal_the_output_of_evaluate(browser, capsys, name, scenario):
    page = browser(name)
    capsys.readouterr()
    assert main(["evaluate", scenario, "--json"]) == 0
    assert page.evaluate("fabriscope.states[0].figures") == json.loads(capsys.readouterr().out)


def test_loads_and_values_of_links_are_those_of_the_report(browser, report):
    page = browser("halo")
    values = np.array(page.evaluate("Array.from(fabriscope.values[0].link)"))
    np.testing.assert_allclose(values, report.utilisation, rtol=1e-6, atol=1e-9)
    script = "fabriscope.machine.classes.map((c) => Math.max(...fabriscope.state.load.subarray(c.first, c.end)))"
    np.testing.assert_allclose(page.evaluate(script), [c.max_load for c in report.classes], rtol=1e-6)


def test_the_hottest_links_are_those_of_the_report(browser, report):
    page, network = browser("halo"), report.case.network
    expected = [
        [
            network.classes[int(network.class_of[link])].name, " → ".join(network.link_ends(link)),
            figure(float(report.load[link])), percent(float(report.utilisation[link])).removesuffix(" %"),
        ]
        for link in report.hottest(12).tolist()
    ]  # fmt: skip
    assert rows(page, ".panel:not([hidden]) .links tbody") == expected


def test_hidden_classes_leave_the_picture_and_the_table(browser):
    page = browser("halo")
    for name in ("LR", "LL"):
        page.evaluate(f"[...document.querySelectorAll('#classes label')].find((l) => l.innerText == '{name}').click()")
    page.settle()
    assert {row[0] for row in rows(page, ".panel:not([hidden]) .links tbody")} == {"D"}
    assert page.evaluate("fabriscope.values[0].shown") == [False, False, True]


def test_a_click_selects_and_escape_clears(browser, report):
    page = browser("halo")
    left, top, width, _ = area(page)
    page.click(left + width / 2, top + 40)
    assert text(page, "#selected h3").startswith("supernode 0 · 32 nodes")
    page.press("Escape")
    assert page.evaluate("document.querySelector('#selected').hidden")


def test_the_causes_of_a_link_are_shown_with_it(browser, report):
    page = browser("halo")
    link = int(report.hottest(1)[0])
    page.press("h")
    assert text(page, "#selected h3").startswith(report.case.network.link_name(link))
    assert "bottleneck" in text(page, "#selected")
    seen = "Array.from(document.querySelectorAll('.causes [data-link]')).filter((part) => part.checkVisibility())"
    assert page.evaluate(f"{seen}.map((part) => part.dataset.link)") == [str(link)]
    assert "By pair of supernodes" in text(page, ".causes")


def test_zooming_opens_a_box_and_panning_moves_it(browser):
    page = browser("halo")
    left, top, width, _ = area(page)
    x, y = left + width / 2, top + 45
    zoom_into(page, x, y)
    assert page.evaluate("fabriscope.panes[0].scene.open.reduce((a, b) => a + b)") >= 1
    assert page.evaluate("fabriscope.panes[0].scene.links.ids.length") > 100
    before = page.evaluate("fabriscope.panes[0].camera.shift")
    page.drag((x, y), (x + 60, y + 30))
    scale = page.evaluate("fabriscope.panes[0].camera.scale")
    after = page.evaluate("fabriscope.panes[0].camera.shift")
    assert np.subtract(after, before) * scale == pytest.approx([-60, 30], abs=1)
    page.press("0")
    assert not page.evaluate("fabriscope.panes[0].scene.anyOpen")


def test_the_pointer_finds_the_node_under_it(browser):
    page = browser("halo")
    left, top, width, _ = area(page)
    zoom_into(page, left + width / 2, top + 45)
    script = "fabriscope.panes[0].projection.at"
    inside = f"{script}[3 * v] > 20 && {script}[3 * v + 1] > 20 && {script}[3 * v + 1] < 300"
    vertex = page.evaluate(f"fabriscope.panes[0].projection.inSight.find((v) => {inside})")
    x, y = (page.evaluate(f"{script}[{3 * vertex + k}]") for k in (0, 1))
    page.move(left + x, top + y)
    page.settle()
    assert text(page, ".tip").startswith(page.evaluate(f"fabriscope.machine.vertexName({vertex})"))
    assert "task" in text(page, ".tip")


def test_arrow_keys_pan_and_plus_zooms(browser):
    page = browser("halo")
    page.evaluate("document.querySelector('canvas.top').focus()")
    before = page.evaluate("[fabriscope.panes[0].camera.scale, ...fabriscope.panes[0].camera.shift]")
    page.press("ArrowRight", "ArrowDown", "+")
    scale, x, y = page.evaluate("[fabriscope.panes[0].camera.scale, ...fabriscope.panes[0].camera.shift]")
    assert scale == pytest.approx(1.5 * before[0])
    assert (x > before[1], y < before[2]) == (True, True)


def test_two_scenarios_are_shown_side_by_side_and_as_a_difference(browser, folder):
    page = browser("pair")
    reports = [evaluate(preset("power775-smallest").build())]
    scenario = replace(preset("power775-smallest"), mapping=Random(3))
    reports.append(evaluate(scenario.build(reports[0].case)))
    assert page.evaluate("fabriscope.view.label") == "A | B"
    longest = max(report.time for report in reports)
    for number, report in enumerate(reports):
        values = np.array(page.evaluate(f"Array.from(fabriscope.values[{number}].link)"))
        np.testing.assert_allclose(values, report.utilisation * report.time / longest, rtol=1e-5, atol=1e-9)
    assert area(page, 1)[2] == pytest.approx(area(page, 0)[2])
    page.press("PageDown")
    page.wait_for("fabriscope.number == 1")
    page.settle()
    changes = Difference(*reports)
    names = [reports[1].case.network.link_ends(link) for link in changes.strongest(12).tolist()]
    assert [row[1] for row in rows(page, ".panel:not([hidden]) .links tbody")] == [" → ".join(ends) for ends in names]
    assert "GB/s per node" in text(page, ".panel:not([hidden]) .verdict")


def test_each_step_has_its_loads(browser):
    page = browser("steps")
    evaluation = evaluate_scenario(preset("nas-ft-skeleton"), None, no_progress)
    for step in (0, 3):
        page.evaluate(f"fabriscope.goTo({step})")
        page.settle()
        alone = moment_of(evaluation, step).alone.report
        values = np.array(page.evaluate("Array.from(fabriscope.values[0].link)"))
        np.testing.assert_allclose(values, alone.utilisation, rtol=1e-5, atol=1e-9)
        assert text(page, "#step-text").startswith(f"step {step + 1} of {len(evaluation.case.job.phases)}")
    page.press(",")
    assert page.evaluate("fabriscope.step") == 2
    page.evaluate("document.querySelector('#all-steps').click()")
    assert page.evaluate("fabriscope.step") == -1


def test_the_bars_of_classes_are_those_of_the_step_shown(browser):
    page = browser("steps")
    entire = rows(page, ".classes tbody")
    evaluation = evaluate_scenario(preset("nas-ft-skeleton"), None, no_progress)
    page.evaluate("fabriscope.goTo(3)")
    page.settle()
    timeline = detailed_timeline(evaluation.case)
    shares = timeline.busy[3] / timeline.steps[3].seconds
    assert [row[2] for row in rows(page, ".classes tbody")] == [percent(busy) for busy in shares.tolist()]
    assert text(page, ".classes .limiting th") == timeline.steps[3].bottleneck
    assert text(page, ".panel .links thead").split()[-2:] == ["bytes", "%"]
    page.evaluate("fabriscope.goTo(-1)")
    page.settle()
    assert rows(page, ".classes tbody") == entire


def test_a_drag_on_the_lanes_goes_through_the_steps(browser):
    page = browser("steps")
    page.evaluate("document.querySelector('#lanes').scrollIntoView()")
    left, top = (
        page.evaluate(f"document.querySelector('#lanes').getBoundingClientRect().{side}") for side in ("x", "y")
    )
    start, width = (page.evaluate(f"fabriscope.stepBar.area.{part}") for part in ("left", "width"))
    page.drag((left + start + 2, top + 8), (left + start + width - 2, top + 8))
    last = int(
        np.argmax([step.start + step.seconds for step in detailed_timeline(preset("nas-ft-skeleton").build()).steps])
    )
    assert page.evaluate("fabriscope.step") == pytest.approx(last, abs=6)
    page.click(left + start + 2, top + 8)
    assert page.evaluate("fabriscope.step") == 0


def test_counters_are_shown_with_their_intervals(browser, tmp_path):
    page = browser("series")
    labels = page.evaluate("Array.from(document.querySelectorAll('#views label'), (label) => label.innerText)")
    assert labels == ["Load", *(HEADINGS[source] for source in COUNTED)]
    case = series_scenario(tmp_path).build()
    page.evaluate("document.querySelectorAll('#views input')[2].click()")
    page.wait_for("fabriscope.number == 2")
    page.settle()
    for step, links in ((-1, case.measured), *enumerate(case.measured.intervals)):
        page.evaluate(f"fabriscope.goTo({step})")
        page.settle()
        gbs_shown = page.evaluate("Array.from(fabriscope.values[0].link, (v) => fabriscope.look.top * v)")
        np.testing.assert_allclose(
            np.array([np.nan if v is None else v for v in gbs_shown], float), links.gb / links.seconds, rtol=1e-5
        )
    assert text(page, "#step-text").startswith(f"interval {len(LEVELS)} of {len(LEVELS)}: 20 s to 30 s · measured")
    assert text(page, ".panel .links thead").split()[-2:] == ["GB/s", "%"]


def test_the_table_of_failures_begins_with_disconnected_flows(browser):
    page = browser("failures")
    page.evaluate("document.querySelectorAll('#views input')[1].click()")
    page.wait_for("fabriscope.number == 1")
    page.settle()
    _, *shown = rows(page, ".panel .links table")
    assert {(kind, text) for kind, _, text in shown} == {("host", "disconnects flows")}
    page.evaluate("document.querySelector('#classes input').click()")
    page.settle()
    figures = resilience(evaluate(FAILING.build()), "cables", components(FAILING.machine(), "cables"))
    slow = 100 * (figures.base_gbs / min(row.throughput_gbs for row in figures.rows if not row.disconnected_flows) - 1)
    _, *shown = rows(page, ".panel .links table")
    assert {kind for kind, _, _ in shown} == {"L1-L2"}
    assert shown[0][2] == f"+{slow:.4g}"


def test_scenes_follow_each_other_with_their_captions(browser):
    page = browser("tour")
    captions = []
    for number in range(6):
        page.wait_for(f"fabriscope.number == {number}")
        page.settle()
        captions.append(text(page, "#caption"))
        assert page.evaluate("document.querySelector('#scene').value") == str(number)
        page.press("PageDown")
    assert len(set(captions)) == 6
    assert re.search(r"\b1,024 nodes", captions[0])
    assert page.evaluate("fabriscope.number") == 5
    assert page.evaluate("document.querySelector('#next').disabled")


def pixels(browser, left, top, width, height):
    image = QImage.fromData(browser.picture())
    return [image.pixelColor(x, y) for x in range(left, left + width, 7) for y in range(top, top + height, 7)]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_page_follows_the_reader_s_theme_and_the_switch(browser, theme):
    other = DARK if theme is LIGHT else LIGHT
    page = browser("halo", dark=theme is DARK)
    inside = [round(length) for length in area(page)]
    for shown, chosen in ((theme, ""), (other, other.name)):
        page.evaluate(f"document.querySelector('#theme').value = '{chosen}'")
        page.evaluate("document.querySelector('#theme').dispatchEvent(new Event('change'))")
        page.settle()
        colours = pixels(page, *inside)
        assert colours.count(QColor(shown.panel)) > len(colours) / 4
        assert QImage.fromData(page.picture()).pixelColor(2, 2) == QColor(shown.window)


def test_bundles_have_the_colours_of_their_loads(browser, report):
    page = browser("halo", dark=True)
    inside = [round(length) for length in area(page)]
    hottest = QColor(page.evaluate("fabriscope.colours.of(fabriscope.values[0].coordinate(0.8))"))
    assert not hottest.isValid()  # rgb() is not a name of Qt's
    red, green, blue = map(int, re.findall(r"\d+", page.evaluate("fabriscope.colours.of(0.8)")))
    assert pixels(page, *inside).count(QColor(red, green, blue)) > 20


@pytest.mark.parametrize("name", ["pair", "steps", "tour", "hostile", "series"])
def test_nothing_is_wider_than_a_phone(browser, name):
    page = browser(name, PHONE, 860)
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE
    assert area(page)[2] >= 0.9 * PHONE


def test_a_solid_is_turned_by_dragging(browser):
    page = browser("solid")
    left, top, width, height = area(page)
    page.drag((left + width / 2, top + height / 2), (left + width / 2 + 50, top + height / 2))
    assert page.evaluate("fabriscope.panes[0].camera.azimuth") == pytest.approx(-32 + 20)


def test_names_from_files_are_text(browser):
    page = browser("hostile")
    assert page.evaluate("window.harmed === undefined && document.images.length === 0")
    assert NAME in text(page, "h1")
    assert NAME in text(page, ".links")


def test_without_webgl_the_page_shows_pictures_and_figures(browser, running, folder):
    restore = running.before_scripts("HTMLCanvasElement.prototype.getContext = () => null")
    page = browser("halo", dark=True)
    restore()
    assert "WebGL 2" in text(page, "#still-note")
    assert page.evaluate("document.querySelector('.stills .in-dark svg').checkVisibility()")
    assert not page.evaluate("document.querySelector('.controls').checkVisibility()")
    assert "1 · d0 · 0" in text(page, ".printed")


def test_a_browser_without_webgl_shows_pictures_and_figures(folder, tmp_path):
    browser = Browser(tmp_path, "--disable-3d-apis")
    try:
        browser.open(folder / "tour.html")
        assert browser.evaluate("document.documentElement.dataset.state") == "still"
        pictures = "Array.from(document.querySelectorAll('.stills .in-light :is(svg, img)'))"
        assert browser.evaluate(f"{pictures}.filter((part) => part.checkVisibility()).length") == 6
        assert "64.0" in text(browser, ".panel .big")
    finally:
        browser.close()


def test_a_lost_context_of_webgl_is_restored(browser):
    page = browser("halo")
    inside = [round(length) for length in area(page)]
    before = pixels(page, *inside)
    script = "window.extension = fabriscope.panes[0].renderer.gl.getExtension('WEBGL_lose_context')"
    page.evaluate(f"{script}; extension.loseContext(); new Promise((go) => setTimeout(go, 200))")
    page.evaluate("extension.restoreContext(); new Promise((go) => setTimeout(go, 200))")
    page.settle()
    page.settle()
    assert pixels(page, *inside) == before


def test_the_keyboard_reaches_the_controls_in_order(browser):
    page = browser("tour")
    order = []
    for _ in range(16):
        page.press("Tab")
        order.append(
            page.evaluate(
                "document.activeElement.id || document.activeElement.className || document.activeElement.tagName"
            )
        )
    wanted = ["SUMMARY", "theme", "percent", "log", "zoom-out", "zoom-in", "fit", "top", "scene", "next"]
    assert [name for name in order if name in wanted] == wanted


def test_escape_closes_the_list_of_keys_before_it_clears(browser):
    page = browser("halo")
    page.press("h")
    page.evaluate("document.querySelector('.keys').open = true")
    page.press("Escape")
    assert not page.evaluate("document.querySelector('.keys').open")
    assert not page.evaluate("document.querySelector('#selected').hidden")
    page.press("Escape")
    assert page.evaluate("document.querySelector('#selected').hidden")


@pytest.mark.parametrize("name", PAGES)
def test_no_page_refers_to_anything_outside(folder, name):
    content = (folder / f"{name}.html").read_text(encoding="utf-8")
    attributes = re.findall(
        r"<[a-z][^<>]*?\s(?:src|href|action|poster|data|srcset|xlink:href)\s*=\s*[\"']([^\"']*)", content
    )
    assert {value for value in attributes if not re.match(r"#|data:", value)} == set()
    assert set(re.findall(r"url\(([^)]{1,9})", content)) <= {"#" + "x"} | set(re.findall(r"url\((#[^)]{1,8})", content))
    script = content[content.rindex("<script>") :]
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|import\(|importScripts)\b", script)
    assert "default-src 'none'" in content


def test_without_scripts_the_page_shows_pictures_and_figures(running, folder, report):
    running.enable_scripts(False)
    running.open(folder / "tour.html")
    running.enable_scripts(True)
    picture = QImage.fromData(running.whole_picture())
    assert picture.height() > 6 * 400
