"""Pointer tools: what a press, a drag and a click mean in the views."""
