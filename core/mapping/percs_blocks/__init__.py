"""Mappings of a halo to PERCS in blocks, coloured so that neighbouring blocks share few links."""
