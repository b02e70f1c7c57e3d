"""Compiled loops over packed arrays: recursions, collision detection, contact and optimization solvers.

Nothing here knows a model: :mod:`rbnotes.multibody.packing` packs models into arrays and calls these loops.
:func:`rbnotes.complementarity.solve` calls them with ``compiled=True``.
"""
