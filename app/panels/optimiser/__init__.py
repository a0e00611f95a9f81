"""The panel that searches for better mappings: settings, convergence, runs."""
