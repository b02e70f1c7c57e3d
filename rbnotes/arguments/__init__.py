"""Checks of arguments: each returns the checked float64 array or raises an error that names it.

Every public function of the package passes its inputs through here, once, so a wrong shape, a NaN or a
matrix that is no rotation is reported where it enters, in the caller's own words. Then it calls formulas
that check nothing, such as those of ``rbnotes/_se3.py``.

What comes back is always a new array: nothing done with it reaches the caller's own.

>>> from rbnotes import arguments
>>> try:
...     arguments.rotation("R", [[2, 0, 0], [0, 2, 0], [0, 0, 2]])
... except arguments.InvalidArgument as error:
...     print(error)
R: got a matrix with max |R^T R - I| = 3, expected a rotation matrix
"""

from rbnotes.arguments.matrices import (
    finite_matrix,
    matrix,
    positive_definite,
    symmetric,
)
from rbnotes.arguments.motions import (
    FULL_TURN_WITHIN,
    ROTATION_TOLERANCE,
    UNIT_TOLERANCE,
    frame,
    rotation,
    rotation_vector,
    skew_symmetric,
    twist,
    twist_matrix,
    twist_vector,
    unit_quaternion,
    unit_vector,
)
from rbnotes.arguments.numbers import (
    LARGEST,
    array,
    bound,
    common_shape,
    count,
    each,
    exactly,
    indices,
    number,
    one_vector,
    positive,
    real,
    scalar,
    truths,
    vector,
    within,
)
from rbnotes.arguments.objects import (
    choice,
    force_law,
    function,
    instance,
    instances,
    provides,
    text,
)
from rbnotes.arguments.refusals import (
    Array,
    ArrayField,
    InvalidArgument,
    Matrix,
    SingularConfiguration,
)

__all__ = [
    "FULL_TURN_WITHIN",
    "LARGEST",
    "ROTATION_TOLERANCE",
    "UNIT_TOLERANCE",
    "Array",
    "ArrayField",
    "InvalidArgument",
    "Matrix",
    "SingularConfiguration",
    "array",
    "bound",
    "choice",
    "common_shape",
    "count",
    "each",
    "exactly",
    "finite_matrix",
    "force_law",
    "frame",
    "function",
    "indices",
    "instance",
    "instances",
    "matrix",
    "number",
    "one_vector",
    "positive",
    "positive_definite",
    "provides",
    "real",
    "rotation",
    "rotation_vector",
    "scalar",
    "skew_symmetric",
    "symmetric",
    "text",
    "truths",
    "twist",
    "twist_matrix",
    "twist_vector",
    "unit_quaternion",
    "unit_vector",
    "vector",
    "within",
]
