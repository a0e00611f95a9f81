"""Networks as cards in rows: a picture, figures next to it, and a description beneath."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QListView, QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.panels.networks.metrics_text import MEANINGS, NAMES, figure_texts
from app.panels.networks.survey import NetworkSurvey, Survey
from app.panels.networks.thumbnails import HEIGHT, WIDTH
from app.session.session import Session
from app.style.palette import font_of
from app.style.theme import Theme
from app.views.drawing import SMALL, blend, scaled_font
from app.widgets.array_table import LEFT, RIGHT, Index
from core.network.network import NetworkSpec

CARD = QSize(288, 206)
GAP = 8
PAD = 9
ROLE = Qt.ItemDataRole.UserRole
CENTRE = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
BELOW = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
DRAWING = "drawing …"
ON_SCREEN = "on screen"


@dataclass(frozen=True, slots=True)
class NetworkOffer:
    """A network that can be chosen."""

    spec: NetworkSpec
    on_screen: bool
    machine: str = ""
    """Name of a preset with a note; empty for the family itself."""

    @property
    def title(self) -> str:
        """Return its title."""
        return self.machine or self.spec.title

    @property
    def about(self) -> str:
        """Return one sentence about the family, or the note of the machine."""
        if self.machine:
            return self.spec.preset_notes[self.machine]
        return " ".join((type(self.spec).__doc__ or "").partition("\n\n")[0].split())

    def is_called(self, words: list[str]) -> bool:
        """Return whether a machine's name has words that begin with `words`, in lower case."""
        name = self.machine.lower().split()
        return all(any(part.startswith(word) for part in name) for word in words)

    @property
    def words(self) -> str:
        """Return the searched text, in lower case."""
        family = type(self.spec)
        return " ".join([family.title, family.tag(), self.about, *family.presets]).lower()


def card_size(theme: Theme) -> QSize:
    """Return the size of a card at a theme's scale."""
    return QSize(theme.px(CARD.width()), theme.px(CARD.height()))


class NetworkCards(QListWidget):
    """Shows offers as cards; arrow keys move, Enter or a click chooses."""

    chosen = Signal(object)
    """NetworkSpec."""

    def __init__(self, session: Session, survey: NetworkSurvey) -> None:
        super().__init__()
        self.setAccessibleName("Networks")
        self.setViewMode(QListView.ViewMode.IconMode)
        self.setMovement(QListView.Movement.Static)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setUniformItemSizes(True)
        self._card = card_size(session.state.style.theme)
        self.setGridSize(self._card + QSize(GAP, GAP))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(CardDelegate(session, survey, self))
        self.itemClicked.connect(self._on_self_item_used)
        self.itemActivated.connect(self._on_self_item_used)
        self._survey = survey
        self._survey.changed.connect(self._on_survey_changed)

    @property
    def offers(self) -> list[NetworkOffer]:
        """Return the offers shown, in order."""
        return [self.item(row).data(ROLE) for row in range(self.count())]

    @property
    def offer(self) -> NetworkOffer | None:
        """Return the current card's offer."""
        return self.offers[self.currentRow()] if self.currentItem() is not None else None

    def show_offers(self, offers: list[NetworkOffer], current: type[NetworkSpec] | None) -> None:
        """Show `offers`; the card of the family `current` becomes the current card, or else the first card."""
        self.clear()
        for offer in offers:
            item = QListWidgetItem(offer.title, self)
            item.setData(ROLE, offer)
            item.setSizeHint(self._card)
            self._describe(item)
        families = [type(offer.spec) for offer in offers]
        self.setCurrentRow(families.index(current) if current in families else 0)

    def choose_current(self) -> None:
        """Choose the current card."""
        if self.offer is not None:
            self.chosen.emit(self.offer.spec)

    def _describe(self, item: QListWidgetItem) -> None:
        offer: NetworkOffer = item.data(ROLE)
        survey = self._survey.of(offer.spec)
        figures = ", ".join(f"{name} {text}" for name, text in zip(NAMES, figure_texts(survey.metrics), strict=True))
        # Long sentences are shortened on the card.
        lines = [offer.about, offer.spec.summary(), survey.problem, *survey.warnings]
        item.setToolTip("\n".join([*(line for line in lines if line), "", *MEANINGS]))
        item.setData(Qt.ItemDataRole.AccessibleDescriptionRole, f"{offer.spec.summary()}; {figures}")

    def _on_self_item_used(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(ROLE).spec)

    def _on_survey_changed(self, spec: NetworkSpec) -> None:
        for row in range(self.count()):
            item = self.item(row)
            if item.data(ROLE).spec == spec:
                self._describe(item)
                self.update(self.indexFromItem(item))


class CardDelegate(QStyledItemDelegate):
    """Draws a card with the figures that the survey has measured so far."""

    def __init__(self, session: Session, survey: NetworkSurvey, parent: NetworkCards) -> None:
        super().__init__(parent)
        self._session, self._survey = session, survey

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the common size of all cards."""
        return card_size(self._session.state.style.theme)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a card."""
        offer: NetworkOffer = index.data(ROLE)
        state, flag = option.state, QStyle.StateFlag
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._session.state.style.theme
        painter.translate(option.rect.topLeft())
        painter.scale(theme.scale, theme.scale)
        drawing = CardDrawing(painter, QRectF(QPointF(), CARD), theme, font_of(theme.scaled(1.0)))
        current, hovered = bool(state & flag.State_Selected), bool(state & flag.State_MouseOver)
        drawing.draw(offer, self._survey.of(offer.spec), current, hovered)
        painter.restore()


class CardDrawing:
    """One drawing of a card."""

    def __init__(self, painter: QPainter, area: QRectF, theme: Theme, font: QFont) -> None:
        self._painter, self._theme = painter, theme
        self._area = area.adjusted(0.5, 0.5, -0.5, -0.5)
        self._inside = area.adjusted(PAD, PAD - 2, -PAD, -PAD + 2)
        self._font, self._small = font, scaled_font(font, SMALL)
        self._line = QFontMetricsF(self._font).height()

    def draw(self, offer: NetworkOffer, survey: Survey, current: bool, hovered: bool) -> None:
        """Draw everything."""
        self._frame(current, hovered)
        self._head(offer)
        top = self._inside.top() + self._line + 5
        picture = QRectF(self._inside.left(), top, WIDTH, HEIGHT)
        self._picture(picture, survey)
        self._figures(QRectF(picture.right() + 10, top, self._inside.right() - picture.right() - 10, HEIGHT), survey)
        below = QRectF(self._inside.left(), picture.bottom() + 6, self._inside.width(), 0)
        below.setBottom(self._inside.bottom())
        self._foot(below, offer, survey)

    def _frame(self, current: bool, hovered: bool) -> None:
        theme = self._theme
        self._painter.setPen(QPen(QColor(theme.accent if current else theme.border), 1.6 if current else 1.0))
        self._painter.setBrush(QColor(theme.hovered if hovered or current else theme.panel))
        self._painter.drawRoundedRect(self._area, 6, 6)

    def _head(self, offer: NetworkOffer) -> None:
        row = QRectF(self._inside.left(), self._inside.top(), self._inside.width(), self._line)
        if offer.on_screen:
            self._write(row, ON_SCREEN, self._theme.accent, RIGHT)
        self._painter.setFont(scaled_font(self._font, 1.0, bold=True))
        self._painter.setPen(QColor(self._theme.text))
        self._painter.drawText(row, LEFT, offer.title)

    def _picture(self, area: QRectF, survey: Survey) -> None:
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(blend(self._theme.panel, self._theme.field, 0.75))
        self._painter.drawRoundedRect(area, 4, 4)
        if survey.picture is not None:
            self._painter.drawImage(area, survey.picture)
        elif not survey.problem:
            self._write(area, DRAWING, self._theme.dim, CENTRE)
        else:
            self._write(area.adjusted(6, 4, -6, -4), survey.problem, self._theme.warning, CENTRE)

    def _figures(self, area: QRectF, survey: Survey) -> None:
        if survey.problem and survey.picture is not None:
            self._write(area, survey.problem, self._theme.warning, CENTRE)
            return
        height = area.height() / len(NAMES)
        figures = figure_texts(survey.metrics, waiting=not survey.problem)
        for row, (name, text) in enumerate(zip(NAMES, figures, strict=True)):
            place = QRectF(area.left(), area.top() + row * height, area.width(), height)
            self._write(place, name, self._theme.dim, LEFT)
            self._write(place, text, self._theme.text, RIGHT)

    def _foot(self, area: QRectF, offer: NetworkOffer, survey: Survey) -> None:
        # The size in full, on two lines if needed; the rest of the room is for the sentence.
        size = offer.spec.summary()
        height = QFontMetricsF(self._small).boundingRect(area, int(BELOW), size).height()
        self._write(area, self._fitting(size, area), self._theme.text, BELOW)
        rest = area.adjusted(0, height + 2, 0, 0)
        # For a machine the source is shown instead; the tool tip has both.
        warning = survey.warnings[0] if survey.warnings and not offer.machine else ""
        role = self._theme.warning if warning else self._theme.dim
        self._write(rest, self._fitting(warning or offer.about, rest), role, BELOW)

    def _write(self, area: QRectF, text: str, colour: str, how: int) -> None:
        self._painter.setFont(self._small)
        self._painter.setPen(QColor(colour))
        self._painter.drawText(area, how, text)

    def _fitting(self, text: str, area: QRectF) -> str:
        # As many words as fit; the tool tip has all of them.
        metrics = QFontMetricsF(self._small)

        def fits(part: str) -> bool:
            return metrics.boundingRect(area, int(Qt.TextFlag.TextWordWrap), part).height() <= area.height() + 1

        words = text.split()
        if fits(text):
            return text
        count = next((n for n in range(len(words), 0, -1) if fits(" ".join(words[:n]) + " …")), 1)
        return " ".join(words[:count]) + " …"
