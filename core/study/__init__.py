"""Published experiments as data: what the papers printed, what they predict, and ours beside it."""
