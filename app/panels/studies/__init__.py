"""Studies: sweeps from the scenario on screen, and what they find, as a table and as a plot."""
