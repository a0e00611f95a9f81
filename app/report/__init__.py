"""Reports: a state or a study as one self-contained HTML page."""
