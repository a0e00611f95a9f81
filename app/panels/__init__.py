"""What asks and answers in words and numbers: build forms, the bottleneck inspector."""
