"""Files that are the application's own: settings, presets, safety copies, exported pictures."""
