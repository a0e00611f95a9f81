"""What cables and switches cost, and how the floor is laid out: fields as the command line has them."""

from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from app.widgets.card import Card
from app.widgets.editors import Refusal
from app.widgets.forms import Form
from core.network.metrics.cabling import Prices

WIDTH = 330


class PricesCard(Card):
    """Fields of all prices, from their declaration; what is no price is said beneath, and the last good one stays."""

    changed = Signal()
    """Other prices are meant."""

    def __init__(self) -> None:
        self.form = Form(Prices)
        self.reset = QPushButton("Assumed prices")
        super().__init__("Floor and prices", self._body())
        self.value = Prices()
        self._nothing = QLabel()
        self.setFixedWidth(WIDTH)
        self.form.show_spec(self.value)
        self.form.edited.connect(self._on_form_edited)
        self.reset.clicked.connect(self._on_reset_clicked)
        self._show_reset()

    def _body(self) -> QWidget:
        self.reset.setProperty("role", "link")
        self.reset.setCursor(Qt.CursorShape.PointingHandCursor)
        self.reset.setToolTip("Put back the round figures that are assumed where nobody says better")
        fields = QWidget()
        column = QVBoxLayout(fields)
        column.setContentsMargins(12, 2, 12, 8)
        column.setSpacing(4)
        column.addWidget(self.form)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.reset)
        column.addLayout(row)
        column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(fields)
        return area

    def _on_form_edited(self, name: str, value: Any, at_once: bool) -> None:
        self.form.clear_messages()
        if isinstance(value, Refusal):
            self.form.show_message(name, value.message, self._nothing)
            return
        self._take(msgspec.structs.replace(self.value, **{name: value}))

    def _on_reset_clicked(self) -> None:
        self.form.clear_messages()
        self.form.show_spec(Prices())
        self._take(Prices())

    def _take(self, prices: Prices) -> None:
        before, self.value = self.value, prices
        self._show_reset()
        if prices != before:
            self.changed.emit()

    def _show_reset(self) -> None:
        self.reset.setEnabled(self.value != Prices())
