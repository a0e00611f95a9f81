"""Pages of the documentation: a reference, tutorials and tours, with outputs and pictures that the program makes."""
