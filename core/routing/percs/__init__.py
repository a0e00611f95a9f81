"""Routing on PERCS networks, direct and indirect."""
