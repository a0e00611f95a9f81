"""Charts: distribution of the loads, history of the throughput, timeline of the steps."""
