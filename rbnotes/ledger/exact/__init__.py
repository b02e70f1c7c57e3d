"""Evidence in exact arithmetic: rational numbers, or balls of 333 bits where roots and sines enter.

The forms of the ledger run unchanged: :mod:`.loader` loads a second copy of the package in which NumPy, SciPy
and ``math`` are replaced by stand-ins for exact numbers. :mod:`.symbolic` runs them on symbols.
Nothing here is imported by ``rbnotes`` itself; python-flint is the extra ``rbnotes[exact]``.
"""
