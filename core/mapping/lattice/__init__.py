"""Translation-invariant colourings of halos for groups that are all linked to each other.

`sublattice` and `numbering` give the symmetry, `machine` the links of one group, and `kernels` anneal the tasks of one
group; `search` combines them, and `colouring` is the strategy.
"""
