"""Compiled loops over packed arrays: recursions, collision detection, contact and optimization solvers.

Nothing here knows a model: :mod:`rbnotes.multibody.packing` packs models into arrays and calls these loops.
:func:`solve_lcp` and :func:`solve_qp` take arrays. They solve small problems, and those of walls of bodies,
at the speed of compiled solvers.
"""

from rbnotes.compiled.complementarity.problems import solve_lcp, solve_qp

__all__ = ["solve_lcp", "solve_qp"]
