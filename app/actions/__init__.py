"""Commands as data: title, shortcut, when each is enabled, and its effect."""
