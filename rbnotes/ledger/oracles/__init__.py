"""What references are built from, by subject.

Nothing here uses the library's geometry or dynamics, so that an agreement with the library means something.
"""
