"""Distances between convex shapes, and the narrow phase."""
