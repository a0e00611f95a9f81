"""Commands of the user as data: what each is called, its key, when it can be used, what it does."""
