"""Which network to look at: all families as cards, of about one size, found by a few letters."""

from typing import cast

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QLineEdit, QProgressBar, QVBoxLayout, QWidget

from app.panels.networks.cards import CARD, GAP, NetworkCards, Offer
from app.panels.networks.preset_links import PresetLinks
from app.panels.networks.survey import NetworkSurvey
from app.panels.networks.thumbnails import node_colour, switch_colour
from app.session.session import Session
from app.style.theme import Theme
from app.widgets.size_box import SizeBox
from core.load.fit import has_defaults
from core.network import AnyNetwork
from core.network.network import NetworkSpec
from core.spec import members

COLUMNS = 4
MARGIN = 14
BESIDE = 24
"""Pixels that stay free between the chooser and the edges of its window, at least."""
HINT = "Type to filter: torus, tree, ring …   Arrows move, Enter or a click chooses, Esc closes"
NOTHING = "No network is called so."


class NetworkChooser(QDialog):
    """A field to filter with over cards; what is chosen is proposed to the session, which makes the rest fit."""

    def __init__(self, session: Session, survey: NetworkSurvey, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("network-chooser")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session, self.survey = session, survey
        self.field = QLineEdit(placeholderText=HINT)
        self.field.setAccessibleName("Filter networks")
        self.size_box = SizeBox(self._nodes())
        self.cards = NetworkCards(session, survey)
        self.presets = PresetLinks()
        self.progress = QProgressBar()
        self.hint, self.legend = QLabel(), QLabel(legend(session.state.style.theme))
        self._build()
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._fill)
        self.size_box.chosen.connect(self._on_size_box_chosen)
        self.cards.chosen.connect(self.choose)
        self.presets.chosen.connect(self.choose)
        self.cards.currentRowChanged.connect(self._show_presets)
        survey.progressed.connect(self._on_survey_progressed)
        survey.finished.connect(self.progress.hide)
        self._offer()

    def popup(self) -> None:
        """Show it over the middle of its window, ready to type."""
        parent = self.parentWidget()
        if parent is not None:
            window = parent.window()
            room = window.size() - QSize(2 * BESIDE, 2 * BESIDE)
            self.resize(self._wanted().boundedTo(room))
            corner = window.mapToGlobal(window.rect().center()) - self.rect().center()
            self.move(corner)
        self.show()
        self.field.setFocus()

    def choose(self, spec: NetworkSpec) -> None:
        """Ask the session for this network, with job, mapping and routing made to fit it, and close."""
        wanted = self._session.state.wanted
        self.close()
        if spec != wanted.network:
            self._session.fit(wanted.with_choice("network", spec))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let arrows move among the cards, and Enter choose, while the field has the focus."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self.cards.choose_current()
                return True
            if key in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down) and not event.modifiers():
                self.cards.keyPressEvent(event)
                return True
        return super().eventFilter(watched, event)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop measuring what nobody looks at."""
        super().hideEvent(event)
        self.survey.cancel()

    def _build(self) -> None:
        title = QLabel("Choose a network")
        title.setProperty("role", "title")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(title)
        head.addSpacing(8)
        head.addWidget(self.field, 1)
        for widget in (QLabel("of about"), self.size_box, QLabel("nodes")):
            head.addWidget(widget)
        self.hint.setProperty("role", "dim")
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(120)
        self.progress.setRange(0, 1000)
        foot = QHBoxLayout()
        foot.setSpacing(12)
        foot.addWidget(self.legend)
        foot.addWidget(self.presets)
        foot.addWidget(self.hint, 1)
        foot.addWidget(self.progress)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, 10, MARGIN, 8)
        layout.setSpacing(8)
        layout.addLayout(head)
        layout.addWidget(self.cards, 1)
        layout.addLayout(foot)

    def _wanted(self) -> QSize:
        rows = -(-len(self.cards.offers) // COLUMNS)
        around = self.sizeHint() - self.cards.sizeHint()
        bar = self.cards.verticalScrollBar().sizeHint().width()
        width = COLUMNS * (CARD.width() + GAP) + bar + 4
        return QSize(width + 2 * MARGIN, rows * (CARD.height() + GAP) + 4 + max(around.height(), 0))

    def _nodes(self) -> int:
        return self._session.state.evaluation.case.network.real_nodes

    def _offers(self) -> list[Offer]:
        here = self._session.state.wanted.network
        found = []
        for family in members(AnyNetwork):
            if isinstance(here, family):
                spec = here.sized(self.size_box.value)
            elif has_defaults(family):
                spec = cast(NetworkSpec, family()).sized(self.size_box.value)
            else:
                continue
            found.append(Offer(spec, spec == here))
        return found

    def _offer(self) -> None:
        self._all = self._offers()
        self._fill()
        state = self._session.state
        self.progress.show()
        # That on screen first, however long the others take.
        inquired = sorted(self._all, key=lambda offer: not offer.here)
        self.survey.look(
            [offer.spec for offer in inquired], state.wanted.folder, state.style.theme, self.devicePixelRatioF()
        )

    def _fill(self) -> None:
        words = self.field.text().lower().split()
        offers = [offer for offer in self._all if all(word in offer.words for word in words)]
        before = self.cards.offer
        current = type(before.spec) if before is not None else type(self._session.state.wanted.network)
        self.cards.show_offers(offers, current)
        self.hint.setText("" if offers else NOTHING)

    def _show_presets(self) -> None:
        offer = self.cards.offer
        self.presets.show_presets_of(offer.spec if offer is not None else None)

    def _on_size_box_chosen(self) -> None:
        self._offer()
        self.field.setFocus()

    def _on_survey_progressed(self, fraction: float) -> None:
        self.progress.setValue(round(1000 * fraction))


def legend(theme: Theme) -> str:
    """Return what the marks and lines of pictures are, as rich text."""
    marks = (
        ("■", node_colour(theme).name(), "node"),
        ("●", switch_colour(theme).name(), "switch"),
        ("―", theme.accent, "link"),
    )
    return " &nbsp; ".join(
        f"<span style='color:{colour}'>{mark}</span> <span style='color:{theme.dim}'>{name}</span>"
        for mark, colour, name in marks
    )
