"""Tours: files of scenes, each a scenario and how it is looked at, with captions whose numbers are computed live."""
