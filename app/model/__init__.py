"""What is shown, without a screen: the state, its parts, and what they mean."""
