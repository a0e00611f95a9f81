"""Charts are there at once: what they are made with is imported before."""

from app.views.charts.kit import chart as chart
