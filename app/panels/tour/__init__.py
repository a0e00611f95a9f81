"""The tour on the desk: its scenes in a strip, and the words of the one that is shown."""
