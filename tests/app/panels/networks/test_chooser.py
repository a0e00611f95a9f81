"""The network chooser, used by keys and pointer: cards fill in, and a choice is one step that fits."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.panels.networks.cards import CARD
from app.panels.networks.chooser import HINT, NOTHING_FOUND, NetworkChooser
from app.panels.networks.metrics_text import NAMES, bisection_text, degree_text, figure_texts
from app.panels.networks.survey import NetworkSurvey
from app.panels.networks.thumbnails import WIDTH
from app.session.session import Session
from app.style.theme import LIGHT
from app.widgets.combo_box import size_box
from app.widgets.refusals import is_wrong
from core.job import AllToAll, Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Circulant, Clex, Edges, Hypercube, Mesh, Torus
from core.network.metrics.bisection import Bisection
from core.network.metrics.metrics import measure
from core.routing import DimensionOrder
from core.routing.clex.scheme import ClexRouting

LEFT = Qt.MouseButton.LeftButton
TORUS = Scenario(Torus(dims=(4, 4, 4)), Halo(8, 8), Sequential(), DimensionOrder())


@pytest.fixture
def scenario():
    return TORUS


@pytest.fixture
def small(session_of):
    return session_of(TORUS)


@pytest.fixture(scope="module")
def kept_survey(qapp):
    """Metrics that earlier tests have computed for the networks that all of them show."""
    survey = NetworkSurvey(sync=True)
    yield survey
    survey.close()


@pytest.fixture
def open_chooser(qtbot, kept_survey):
    opened = []

    def open_one(session, survey=kept_survey):
        chooser = NetworkChooser(session, survey)
        chooser.resize(1226, 700)
        chooser.destroyed.connect(lambda: opened.remove(chooser))
        opened.append(chooser)
        chooser.popup()
        return chooser

    yield open_one
    for chooser in opened:
        chooser.close()


def titles(chooser):
    return [offer.title for offer in chooser.cards.offers]


def card_of(chooser, family):
    row = next(row for row, offer in enumerate(chooser.cards.offers) if isinstance(offer.spec, family))
    return chooser.cards.visualItemRect(chooser.cards.item(row))


def keys(chooser, *pressed):
    for key in pressed:
        QTest.keyClick(chooser.field, key)


def test_all_families_are_shown_with_about_the_current_size(small, open_chooser):
    chooser = open_chooser(small)
    shown = titles(chooser)
    assert shown[0] == "Power 775 (PERCS)"
    assert {"Torus", "Mesh", "Hypercube", "Fat tree", "Dragonfly", "Circulant", "CLEX"} <= set(shown)
    for offer in chooser.cards.offers:
        surveyed = chooser.survey.of(offer.spec)
        if isinstance(offer.spec, Edges):
            assert surveyed.problem == "choose a file in the scenario's folder"
        else:
            assert 32 <= surveyed.metrics.nodes <= 128
    assert [offer.on_screen for offer in chooser.cards.offers if isinstance(offer.spec, Torus)] == [True]
    assert chooser.cards.offer.spec == TORUS.network
    assert not chooser.progress.isVisible()


def test_a_click_on_a_card_is_one_step_with_a_job_and_routing_that_fit(small, open_chooser):
    chooser = open_chooser(small)
    QTest.mouseClick(chooser.cards.viewport(), LEFT, pos=card_of(chooser, Circulant).center())
    state = small.state
    assert isinstance(state.evaluation.case.network.spec, Circulant)
    assert state.evaluation.case.network.nodes == 64
    assert state.error is None
    assert not chooser.isVisible()
    assert len(small.state.history.steps) == 1
    small.editing.undo()
    assert small.state.evaluation.case.scenario == TORUS


def test_choosing_the_current_network_is_not_an_undo_step(small, open_chooser):
    chooser = open_chooser(small)
    keys(chooser, Qt.Key.Key_Return)
    assert not chooser.isVisible()
    assert not small.state.history.steps


def test_arrows_move_among_the_cards_and_enter_chooses(small, open_chooser):
    chooser = open_chooser(small)
    keys(chooser, Qt.Key.Key_Right)
    assert isinstance(chooser.cards.offer.spec, Mesh)
    keys(chooser, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Down)
    below = card_of(chooser, type(chooser.cards.offer.spec))
    mesh = card_of(chooser, Mesh)
    assert (below.left(), below.top() > mesh.top()) == (mesh.left(), True)
    keys(chooser, Qt.Key.Key_Up, Qt.Key.Key_Enter)
    assert small.state.evaluation.case.network.spec == Mesh(dims=(8, 8))


def test_esc_changes_nothing(small, open_chooser):
    chooser = open_chooser(small)
    keys(chooser, Qt.Key.Key_Right, Qt.Key.Key_Escape)
    assert not chooser.isVisible()
    assert small.state.wanted == TORUS


def test_typing_filters_by_title_and_sentence(small, open_chooser):
    chooser = open_chooser(small)
    QTest.keyClicks(chooser.field, "hyperc")
    assert titles(chooser) == ["Hypercube"]
    keys(chooser, Qt.Key.Key_Return)
    assert small.state.evaluation.case.network.spec == Hypercube(dimensions=6)


def test_a_machine_is_found_by_its_name_and_chosen_by_enter(small, open_chooser):
    chooser = open_chooser(small)
    QTest.keyClicks(chooser.field, "tofu 324")
    offer = chooser.cards.offer
    assert (offer.title, offer.about) == ("Tofu D, 324 nodes", Torus.preset_notes["Tofu D, 324 nodes"])
    assert chooser.survey.of(offer.spec).metrics.diameter == 6
    keys(chooser, Qt.Key.Key_Return)
    assert small.state.evaluation.case.network.spec == Torus(**Torus.presets["Tofu D, 324 nodes"])


def test_machines_need_three_letters_from_the_start_of_a_word(small, open_chooser):
    chooser = open_chooser(small)
    families = len(titles(chooser))
    QTest.keyClicks(chooser.field, "to")
    assert "Tofu D, 324 nodes" not in titles(chooser)
    chooser.field.setText("ofu")
    assert titles(chooser) == ["Torus"]
    chooser.field.clear()
    assert len(titles(chooser)) == families


def test_no_match_has_a_message_and_enter_does_nothing(small, open_chooser):
    chooser = open_chooser(small)
    QTest.keyClicks(chooser.field, "quantum")
    assert titles(chooser) == []
    assert chooser.hint.text() == NOTHING_FOUND
    keys(chooser, Qt.Key.Key_Return)
    assert chooser.isVisible()
    chooser.field.clear()
    assert chooser.hint.text() == ""
    assert chooser.field.placeholderText() == HINT
    assert len(titles(chooser)) > 8


def test_the_current_card_stays_current_while_typing(small, open_chooser):
    chooser = open_chooser(small)
    keys(chooser, Qt.Key.Key_Right)
    QTest.keyClicks(chooser.field, "m")
    assert isinstance(chooser.cards.offer.spec, Mesh)


def test_another_size_gives_other_networks(small, open_chooser):
    chooser = open_chooser(small)
    box = chooser.size_box
    box.setFocus()
    box.lineEdit().selectAll()
    QTest.keyClicks(box.lineEdit(), "256")
    QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)
    assert chooser.isVisible()
    specs = [offer.spec for offer in chooser.cards.offers]
    assert Torus(dims=(4, 8, 8)) in specs
    assert Hypercube(dimensions=8) in specs
    assert not any(offer.on_screen for offer in chooser.cards.offers)
    assert chooser.survey.of(Hypercube(dimensions=8)).metrics.diameter == 8


def test_a_preset_of_the_current_family_can_be_chosen(small, open_chooser):
    chooser = open_chooser(small)
    QTest.keyClicks(chooser.field, "circulant")
    link = next(link for link in chooser.presets.links if link.text() == "G(256, log2 n)")
    QTest.mouseClick(link, LEFT)
    assert small.state.evaluation.case.network.spec == Circulant(nodes=256, jumps=tuple(1 << k for k in range(8)))


def test_cards_show_picture_and_figures_as_pixels(small, open_chooser):
    chooser = open_chooser(small)
    rect = card_of(chooser, Hypercube)
    image = chooser.cards.viewport().grab(rect).toImage()
    picture = {image.pixelColor(x, y).name() for x in range(12, WIDTH) for y in range(40, 120, 3)}
    figures = {image.pixelColor(x, y).name() for x in range(WIDTH + 25, CARD.width() - 12) for y in range(30, 130)}
    theme = small.state.style.theme
    assert len(picture) > 20
    assert theme.text in figures
    current = chooser.cards.viewport().grab(card_of(chooser, Torus)).toImage()
    assert current.pixelColor(CARD.width() // 2, 0).name() != image.pixelColor(CARD.width() // 2, 0).name()


def test_cards_follow_the_theme(small, open_chooser):
    small.set_theme(LIGHT)
    chooser = open_chooser(small)
    spec = chooser.cards.offer.spec
    assert chooser.survey.of(spec).drawn[0] == "light"


def test_cards_have_accessible_texts(small, open_chooser):
    chooser = open_chooser(small)
    item = chooser.cards.item(titles(chooser).index("Mesh"))
    described = item.data(Qt.ItemDataRole.AccessibleDescriptionRole)
    assert "8 × 8 = 64 nodes" in described
    assert "diameter 14" in described
    assert "connected pairs" in item.toolTip()


def test_cards_fill_in_while_it_is_open_and_work_stops_when_it_closes(qtbot, open_chooser):
    session, survey = Session.of(TORUS), NetworkSurvey()
    chooser = open_chooser(session, survey)
    first = chooser.cards.offers[0].spec
    qtbot.waitUntil(lambda: survey.of(first).picture is not None)
    chooser.close()
    assert not survey.busy
    survey.close()
    session.close()


def test_the_window_opens_it_by_key_and_from_the_build_panel(window, qtbot):
    window.commands["network.choose"].trigger()
    (chooser,) = window.findChildren(NetworkChooser)
    assert chooser.isVisible()
    # The widest window required shows four in a row, none cut off.
    assert (
        chooser.cards.visualItemRect(chooser.cards.item(3)).top()
        == chooser.cards.visualItemRect(chooser.cards.item(0)).top()
    )
    assert window.rect().contains(window.mapFromGlobal(chooser.geometry().bottomRight()) - QPoint(1, 1))
    QTest.keyClick(chooser.field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not window.findChildren(NetworkChooser))
    QTest.mouseClick(window.build.browse, LEFT)
    (chooser,) = window.findChildren(NetworkChooser)
    assert chooser.isVisible()
    chooser.close()


def test_unknown_figures_are_written_as_dashes():
    torus = measure(Torus(dims=(2, 4), wrap=False).build())
    assert dict(zip(NAMES, figure_texts(torus), strict=True)) == {
        "nodes": "8",
        "switches": "8",
        "links": "10",
        "degree": "2–3",
        "diameter": "4",
        "avg. path": "2.000",
        "bisection": "2",
    }
    assert set(figure_texts(None)) == {"–"}
    assert set(figure_texts(None, waiting=True)) == {"…"}
    assert degree_text(6, 6) == "6"
    assert bisection_text(Bisection(3280, 41000.0, False, "")) == "≤ 3,280"
    assert bisection_text(Bisection(262144, 1.0, False, "")) == "≤ 262k"


def test_size_box_accepts_only_valid_sizes(show):
    box, received = show(size_box(512), 120, 40), []
    box.chosen.connect(received.append)
    assert [box.itemText(k) for k in range(box.count())] == [
        "64",
        "256",
        "512",
        "1,024",
        "4,096",
        "16,384",
        "65,536",
        "262,144",
    ]
    for typed, nodes in (("many", None), ("1,000", 1000), ("9999999", None), ("1", None)):
        box.lineEdit().setFocus()
        box.lineEdit().selectAll()
        QTest.keyClicks(box.lineEdit(), typed)
        QTest.keyClick(box.lineEdit(), Qt.Key.Key_Return)
        assert box.currentText() == (f"{nodes:,}" if nodes else typed)
        assert is_wrong(box) is (nodes is None)
    assert received == [1000]


def test_networks_as_large_as_a_folded_network_are_offered(session_of, open_chooser, monkeypatch):
    large = session_of(Scenario(Clex(k=64, levels=3), AllToAll(1 << 18), Sequential(), ClexRouting()))
    asked = []
    monkeypatch.setattr(NetworkSurvey, "look", lambda self, specs, *rest: asked.extend(specs))
    chooser = open_chooser(large)
    assert chooser.size_box.value == 1 << 18
    specs = [offer.spec for offer in chooser.cards.offers]
    assert {Clex(k=64, levels=3), Torus(dims=(64, 64, 64)), Mesh(dims=(512, 512))} <= set(specs)
    assert chooser.cards.offer.on_screen
    assert asked[0] == Clex(k=64, levels=3)
    assert sorted(map(repr, asked)) == sorted(map(repr, specs))
