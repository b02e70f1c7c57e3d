"""Provide the independent computations that the records compare with, by subject.

Nothing here uses the library's geometry or dynamics: an agreement with the library is evidence.
"""
