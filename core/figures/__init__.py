"""Figures of scenarios and networks: what commands print, `import fabriscope` returns and studies record.

A figure is one field of a result, declared in `evaluation`, `network`, `timeline` or `searched` with its title, unit,
meaning and how it is computed (`core.figure`). `registry` finds it by its name; nothing else lists names of figures.
"""
