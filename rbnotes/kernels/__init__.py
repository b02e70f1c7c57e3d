"""Trees compiled: the recursions in O(n), in machine code, for one state or for many at once.

:func:`compile` packs a tree into flat arrays, which takes milliseconds; the code that reads them is the same
for all trees. It is compiled by numba when it is first used and kept on disk, beside the package or, where
that cannot be written to, in the user's cache; ``NUMBA_CACHE_DIR`` names another place. What compiles says so
on the logger ``rbnotes.kernels``.

The functions of :mod:`rbnotes.tree` are the reference: results agree with theirs to rounding.
"""

from rbnotes.kernels.compiled import CompiledTree, compile

__all__ = ["CompiledTree", "compile"]
