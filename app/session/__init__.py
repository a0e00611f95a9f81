"""The session: the one owner of the state, and what changes it."""
