"""Words and numbers as the user reads them."""
