"""Where to draw networks that are no lattice: one file per kind of picture."""
