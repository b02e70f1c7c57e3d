"""Lanes, spatial algebra and memory for eight states at once."""
