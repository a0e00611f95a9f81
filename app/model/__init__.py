"""The model: the state of the window and its parts, without Qt."""
