"""What iterations raise that do not get where they should; wrong input is the matter of ``arguments``.

>>> from rbnotes.errors import NotConverged
>>> try:
...     raise NotConverged("0.1 is left", solution=[1.0], residual=0.1)
... except NotConverged as error:
...     print(error.residual, error.solution)
0.1 [1.0]
"""

from __future__ import annotations


class NotConverged(RuntimeError):
    """An iteration ended short of its tolerance.

    Every solver of the package raises one of these, with what it had: it may do for the purpose, or tell why.
    """

    def __init__(self, message: str, solution: object, residual: float) -> None:
        super().__init__(message)
        self.solution = solution
        """The last iterate, of the type that the function returns when it succeeds."""
        self.residual = residual
        """How far it is off, in the measure that the tolerance is for."""
