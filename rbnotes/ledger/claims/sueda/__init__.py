"""Records for the rigid-body dynamics notes of Sueda."""
