"""Widgets of any application, and the base of those that follow the session."""
