"""`anonduck demo`: a synthetic export, and the main job done on it."""
