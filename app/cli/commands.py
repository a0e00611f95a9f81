"""Which commands there are."""

COMMANDS = {
    "evaluate": "loads, throughput and bottleneck of a scenario file",
    "explain": "why the hottest links are hot, who causes it, and what to move",
    "diff": "two scenarios side by side, class by class and link by link",
    "timeline": "when each phase of a job runs, and how busy the links are",
    "reproduce": "a paper's tables, ours beside the printed values",
    "optimise": "search for a better mapping; what no mapping can pass beside it",
    "metrics": "sizes, distances, bisection, cables and cost of a network",
    "compare": "several networks side by side, and a job's throughput on each",
    "study": "figures for every combination of some fields, on all cores or a cluster",
    "export": "the network, job, mapping or loads of a scenario file, as a file of another tool",
    "render": "draw a scenario file into a picture; needs no screen",
    "schema": "every choice, field, unit, bound and default; as JSON Schema too",
    "help": "the reference as text, topic by topic",
}
"""What the modules of these names do."""
