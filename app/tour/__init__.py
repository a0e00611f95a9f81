"""Tours: files of scenes, each a scenario with views and camera, with captions whose numbers are computed live."""
