"""Published experiments as data, reproduced: printed figures, the papers' predictions, and our results beside them."""
