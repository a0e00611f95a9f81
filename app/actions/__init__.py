"""Commands as data: title, shortcut, when each is enabled, what it does."""
