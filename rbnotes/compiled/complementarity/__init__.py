"""Compiled solvers of linear complementarity problems and quadratic programs."""
