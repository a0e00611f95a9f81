"""Fields for the prices of cables and switches and the floor plan, as on the command line."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.widgets.card import Card
from app.widgets.forms import SpecForm
from app.widgets.labels import link
from app.widgets.layouts import STRETCH, column, row, scroll_area
from core.network.metrics.cabling import Prices

WIDTH = 330


class PricesCard(Card):
    """A field for each declared price; an invalid one shows an error beneath, and the last valid one is kept."""

    changed = Signal(object)
    """The new Prices."""

    def __init__(self) -> None:
        self.fields = SpecForm(Prices())
        self.reset = link("Assumed prices", "Restore the assumed prices, which are round figures")
        content = QWidget()
        column(self.fields, row(STRETCH, self.reset), STRETCH, of=content, margins=(12, 2, 12, 8), spacing=4)
        super().__init__("Floor and prices", scroll_area(content))
        self.keep_width(WIDTH)
        self.fields.changed.connect(self._on_fields_changed)
        self.reset.clicked.connect(self._on_reset_clicked)
        self.reset.setEnabled(False)

    def _on_reset_clicked(self) -> None:
        self.fields.form.clear_messages()
        self.fields.show_spec(Prices())
        self._on_fields_changed(Prices())

    def _on_fields_changed(self, prices: Prices) -> None:
        self.reset.setEnabled(prices != Prices())
        self.changed.emit(prices)
