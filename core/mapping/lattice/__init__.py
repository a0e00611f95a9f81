"""Translation-invariant colourings of halo exchanges for groups that are all linked to each other.

`sublattice` and `numbering` give the symmetry. The kernels anneal the labels and the places of the tasks of one group,
`trial` combines them by a `schedule`, with loads in the `units` of integers. `search` makes trials, and `colouring` is
the strategy.
"""
