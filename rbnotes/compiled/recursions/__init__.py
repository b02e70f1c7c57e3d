"""Recursions over trees: kinematics, dynamics and their derivatives."""
