"""The network chooser: all families as cards, of about one size, and machines, found by typing."""

from functools import partial
from itertools import islice
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.panels.networks.cards import GAP, NetworkCards, NetworkOffer, card_size
from app.panels.networks.rows import families_like
from app.panels.networks.survey import NetworkSurvey
from app.panels.networks.thumbnails import node_colour, switch_colour
from app.session.session import Session
from app.style.theme import Theme
from app.widgets.combo_box import size_box
from app.widgets.forms import with_values
from app.widgets.labels import label, link
from app.widgets.layouts import column, row
from app.widgets.popup import ENTER, Popup
from app.widgets.progress_bar import ProgressBar
from core.network.network import NetworkSpec
from core.spec import Spec, lacks_file

MAX_LINKS = 5


class PresetLinks(QWidget):
    """Offers the first few presets of a spec's family, real machines (presets with a note) first."""

    chosen = Signal(object)
    """The spec with a preset's values."""

    def __init__(self) -> None:
        super().__init__()
        self._row = row(label("dim", "Presets:"), of=self, spacing=10)
        self.links: list[QPushButton] = []
        self.hide()

    def show_presets_of(self, spec: Spec | None) -> None:
        """Show the presets of a family, or nothing if it has none."""
        for old in self.links:
            self._row.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.links = []
        if spec is not None:
            notes = spec.preset_notes
            presets = islice(sorted(spec.presets.items(), key=lambda preset: preset[0] not in notes), MAX_LINKS)
            self.links = [self._link(name, with_values(spec, values), notes.get(name)) for name, values in presets]
        self.setVisible(bool(self.links))

    def _link(self, name: str, preset: Any, note: str | None) -> QPushButton:
        button = link(name)
        button.setToolTip(note or "")
        button.clicked.connect(partial(self._on_link_clicked, preset))
        self._row.addWidget(button)
        return button

    def _on_link_clicked(self, preset: Any) -> None:
        self.chosen.emit(preset)


ARROWS = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
COLUMNS = 4
MARGIN = 14
WINDOW_MARGIN_PX = 24
"""Minimum distance of the chooser from the edges of its window."""
HINT = "Type to filter (torus, tree, Frontier …). Enter or a click chooses, Esc closes."
MIN_LETTERS = 3
"""Letters to type before machines are listed: they may be large, and each is drawn and measured."""
NOTHING_FOUND = "No match."


class NetworkChooser(Popup):
    """A filter field over cards; the chosen network is proposed to the session, which adapts the other choices."""

    file_asked = Signal(object)
    """The chosen network, for which a file is to be chosen first."""

    def __init__(self, session: Session, survey: NetworkSurvey, parent: QWidget | None = None) -> None:
        super().__init__("network-chooser", parent)
        self._session, self.survey = session, survey
        self.field.setPlaceholderText(HINT)
        self.field.setAccessibleName("Filter networks")
        self.size_box = size_box(session.state.evaluation.case.network.real_nodes)
        self.cards = NetworkCards(session, survey)
        self.presets = PresetLinks()
        self.progress = ProgressBar(120)
        self.hint, self.legend = label("dim"), QLabel(picture_legend(session.state.style.theme))
        self._build()
        self.field.textChanged.connect(self._fill)
        self.size_box.chosen.connect(self._on_size_box_chosen)
        self.cards.chosen.connect(self.choose)
        self.presets.chosen.connect(self.choose)
        self.cards.currentRowChanged.connect(self._show_presets)
        survey.progressed.connect(self.progress.show_fraction)
        survey.finished.connect(self.progress.hide)
        self._offer()

    def place(self, window: QWidget) -> None:
        """Move to the middle of the window, with room for all cards if possible."""
        room = window.size() - QSize(2 * WINDOW_MARGIN_PX, 2 * WINDOW_MARGIN_PX)
        self.resize(self._wanted(room.width()).boundedTo(room))
        self.move(window.mapToGlobal(window.rect().center()) - self.rect().center())

    def choose(self, spec: NetworkSpec) -> None:
        """Request this network, with job, mapping and routing fitted to it, and close."""
        self.close()
        if lacks_file(spec):
            self.file_asked.emit(spec)
        else:
            self._session.choose_network(spec)

    def take_key(self, event: QKeyEvent) -> bool:
        """Move among the cards by the arrow keys, and choose by Enter."""
        if event.key() in ENTER:
            self.cards.choose_current()
        elif event.key() in ARROWS and not event.modifiers():
            self.cards.keyPressEvent(event)
        else:
            return False
        return True

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop measuring."""
        super().hideEvent(event)
        self.survey.cancel()

    def _build(self) -> None:
        size = (QLabel("Size: about"), self.size_box, QLabel("nodes"))
        head = row(label("title", "Choose a network"), 8, (self.field, 1), *size, spacing=8)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        foot = row(self.legend, self.presets, (self.hint, 1), self.progress, spacing=12)
        column(head, (self.cards, 1), foot, of=self, margins=(MARGIN, 10, MARGIN, 8), spacing=8)

    def _wanted(self, most: int) -> QSize:
        card, others = card_size(self._session.state.style.theme), self.sizeHint() - self.cards.sizeHint()
        beside = self.cards.verticalScrollBar().sizeHint().width() + 4 + 2 * MARGIN
        columns = min(max((most - beside) // (card.width() + GAP), 1), COLUMNS)
        rows = -(-len(self.cards.offers) // columns)
        height = rows * (card.height() + GAP) + 4 + max(others.height(), 0)
        return QSize(columns * (card.width() + GAP) + beside, height)

    def _offer(self) -> None:
        wanted = self._session.state.wanted.network
        like = families_like(wanted)
        self._all = [NetworkOffer(spec, spec == wanted) for spec in (spec.sized(self.size_box.value) for spec in like)]
        machines = [(with_values(spec, spec.presets[name]), name) for spec in like for name in spec.preset_notes]
        self._machines = [NetworkOffer(spec, spec == wanted, name) for spec, name in machines]
        self._fill()
        self._look([])

    def _look(self, machines: list[NetworkOffer]) -> None:
        state = self._session.state
        self.progress.show()
        # Networks found by name first, then the network on screen, since the others may take long.
        offers = [*machines, *sorted(self._all, key=lambda offer: not offer.on_screen)]
        specs = [offer.spec for offer in offers]
        theme = state.style.theme
        self.survey.look(specs, state.wanted.folder, theme, self.devicePixelRatioF() * theme.scale)

    def _fill(self) -> None:
        text = self.field.text().lower()
        words = text.split()
        machines = [offer for offer in self._machines if offer.is_called(words)] if len(text) >= MIN_LETTERS else []
        offers = [offer for offer in self._all if all(word in offer.words for word in words)]
        before = self.cards.offer
        current = type(before.spec) if before is not None else type(self._session.state.wanted.network)
        self.cards.show_offers([*machines, *offers], None if machines else current)
        self.hint.setText("" if offers or machines else NOTHING_FOUND)
        if machines:
            self._look(machines)

    def _show_presets(self) -> None:
        offer = self.cards.offer
        self.presets.show_presets_of(offer.spec if offer is not None else None)

    def _on_size_box_chosen(self) -> None:
        self._offer()
        self.field.setFocus()


def picture_legend(theme: Theme) -> str:
    """Return the legend of the pictures as rich text."""
    marks = (
        ("■", node_colour(theme).name(), "node"),
        ("●", switch_colour(theme).name(), "switch"),
        ("―", theme.accent, "link"),
    )
    return " &nbsp; ".join(
        f"<span style='color:{colour}'>{mark}</span> <span style='color:{theme.dim}'>{name}</span>"
        for mark, colour, name in marks
    )
