"""Network families, one file each."""
