"""The network chooser and the table of networks: pictures, metrics, prices."""
