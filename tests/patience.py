"""How long a test waits for what it means to happen: never a matter of how busy the machine is."""

SECONDS = 300
"""Less than pytest's `faulthandler_timeout`, so that a test that waits in vain says for what."""
