"""The Bottleneck panel: throughput, link classes, hottest links, causes of a load, swaps that would help."""
