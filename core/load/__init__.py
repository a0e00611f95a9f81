"""How loaded every link is, who causes it, and what no mapping can beat."""
