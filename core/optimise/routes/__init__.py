"""Searches for better routes: the mapping stays, and the next hops of forwarding tables move among minimal ports."""
