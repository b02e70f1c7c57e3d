"""Records for the physics notes of Lloyd."""
