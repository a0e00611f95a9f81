"""Charts exist at once, as their modules are imported before."""

from app.views.charts.kit import chart as chart
