"""Figures of scenarios and networks: what commands print, `import fabriscope` returns and studies record."""
