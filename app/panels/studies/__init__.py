"""Studies: sweeps from the scenario on screen, and their results as a table and as a plot."""
