"""The machine view: nodes, bundles and links by level of detail, on OpenGL or by QPainter."""
