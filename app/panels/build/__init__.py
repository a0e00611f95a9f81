"""The panel that builds a scenario: network, job, mapping and routing."""
