"""The session: the only owner of the state, and the parts that change it."""
