"""The command line: one module a command, and what they share. Its figures load no screen."""
