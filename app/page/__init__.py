"""Pages: scenarios or a tour as one self-contained, interactive HTML page."""
