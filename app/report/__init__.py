"""Reports: what a state or a study comes to, as one page that needs nothing else to be read."""
