"""The application's files: settings, presets, safety copies, exported pictures."""
