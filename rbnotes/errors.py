"""Errors of iterations that do not converge, and of missing packages.

Errors of arguments are in :mod:`rbnotes.arguments`.

>>> from rbnotes.errors import NotConverged
>>> try:
...     raise NotConverged("0.1 is left", solution=[1.0], residual=0.1)
... except NotConverged as error:
...     print(error.residual, error.solution)
0.1 [1.0]
"""

from __future__ import annotations


class NotConverged(RuntimeError):
    """Error of an iteration that ended before it reached its tolerance.

    Every solver of the package raises a subclass with the last iterate and its residual.
    """

    def __init__(self, message: str, solution: object, residual: float) -> None:
        super().__init__(message)
        self.solution = solution
        """The last iterate, of the type that the function returns when it succeeds."""
        self.residual = residual
        """Residual of the last iterate, measured as the tolerance is."""


class MissingExtra(ModuleNotFoundError):
    """Error for a missing package that an extra of rbnotes installs; the message names the extra."""
