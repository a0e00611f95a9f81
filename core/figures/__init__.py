"""Figures of scenarios and networks, which commands print, `import fabriscope` returns and studies record.

A figure is one field of a result, declared in `evaluation`, `network`, `timeline` or `searched` with its title, unit,
meaning and computation (`core.figure`). `registry` finds a figure by its name; no other module lists names of figures.
"""
