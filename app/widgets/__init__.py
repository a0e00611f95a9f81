"""General widgets, and the base class of widgets that follow the session."""
