"""The tour panel: its scenes in a strip, and caption and notes of the scene shown."""
