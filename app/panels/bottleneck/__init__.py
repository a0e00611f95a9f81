"""The bottleneck inspector: throughput, link classes, hottest links, what causes a load, swaps that would help."""
