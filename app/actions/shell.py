"""The window's functions available to commands."""

from typing import Protocol

from app.model.pointing import Hit


class Shell(Protocol):
    """The window, as commands see it."""

    def fit(self) -> None:
        """Show the entire machine."""

    def cancel_gesture(self) -> bool:
        """Cancel a tool's gesture; return whether there was one."""

    def pointed_hit(self) -> Hit | None:
        """Return the hit under the pointer in the machine or the task grid, or None if the pointer is over neither."""

    def pick(self) -> None:
        """Pick, for a swap, the task at the keyboard cursor, in the view that has the focus."""

    def show_page(self, page: str) -> None:
        """Bring a view, the optimiser or the routes to the front, by its id."""

    def arrange(self, layout: str) -> None:
        """Arrange the panels in a layout, by its name."""

    def maximise(self) -> None:
        """Maximise the panel with the keyboard focus, or restore all panels."""

    def open(self, window: str) -> None:
        """Open another window by its name: palette, networks, studies and others."""

    def set_theme(self, name: str) -> None:
        """Use a theme by name; ``system`` follows the desktop."""

    def set_font_scale(self, scale: float) -> None:
        """Set the scale of text and symbols, and remember it."""

    def present(self, *, full: bool, first: bool = False) -> None:
        """Present the open tour, or the state on screen: full screen, or in a separate window.

        A tour begins with its first scene if `first`, else with the scene on screen.
        """

    def close_later(self) -> None:
        """Close after the calling command has returned."""


class GridCursor(Protocol):
    """The keyboard cursor in the task grid."""

    @property
    def active(self) -> bool:
        """Return whether keys go to the task grid."""

    @property
    def hit(self) -> Hit:
        """Return the hit at the cursor."""
