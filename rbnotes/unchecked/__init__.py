"""Geometry and linear algebra without argument checks, for the inner loops of the library.

The public modules, such as :mod:`rbnotes.se3`, check their arguments and then call these functions.
"""
