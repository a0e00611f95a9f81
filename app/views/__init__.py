"""What shows the state: machine, matrices, job grid, distribution."""
