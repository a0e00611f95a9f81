"""Views of the state: machine, matrices, job grid, distribution."""
