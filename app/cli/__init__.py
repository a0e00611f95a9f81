"""The command line: one module for each command, and shared ones. Computing figures imports no Qt."""
