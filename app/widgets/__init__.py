"""General widgets, and the base class of those that follow the session."""
