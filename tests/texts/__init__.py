"""All texts that a user reads, collected into one file, and the phrases that none of them may hold."""
