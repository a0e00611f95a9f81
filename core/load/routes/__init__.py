"""How well the single paths of a routing use the links of a network, regardless of any job."""
