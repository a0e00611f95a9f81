"""The machine: nodes, bundles and links in level of detail, on OpenGL and by painter alike."""
