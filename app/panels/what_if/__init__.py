"""The What-if panel: failures of components, each evaluated."""
