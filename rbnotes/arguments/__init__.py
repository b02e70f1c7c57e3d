"""Checks of arguments: each returns the checked float64 array or raises an error that names it.

Every public function of the package checks its arguments here once, so that a wrong shape, a NaN or a matrix
that is not a rotation is reported under the name of the argument. Then it calls formulas without checks, such
as those of ``rbnotes/unchecked/se3.py``.

The result is always a new array, never a view of the caller's data.

>>> from rbnotes import arguments
>>> try:
...     arguments.rotation("R", [[2, 0, 0], [0, 2, 0], [0, 0, 2]])
... except arguments.InvalidArgument as error:
...     print(error)
R: got a matrix with max |R^T R - I| = 3, expected a rotation matrix
"""

from rbnotes.arguments.geometry import (
    FULL_TURN_TOLERANCE,
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
from rbnotes.arguments.matrices import (
    matrix,
    matrix_without_copy,
    positive_definite,
    symmetric,
)
from rbnotes.arguments.numbers import (
    MAX_ABS_VALUE,
    array,
    boolean_vector,
    broadcast_to_count,
    common_shape,
    count,
    extended_real_array,
    indices,
    positive_array,
    positive_number,
    real_array,
    real_number,
    require_within,
    single_vector,
    vector,
    with_ndim,
)
from rbnotes.arguments.objects import (
    call_user_function,
    choice,
    instances,
    require_force_law,
    require_function,
    require_instance,
    require_methods,
    text,
)
from rbnotes.arguments.types_and_errors import (
    Array,
    ArrayField,
    BoolArray,
    IntArray,
    InvalidArgument,
    Matrix,
    SingularConfiguration,
    format_value,
)

__all__ = [
    "FULL_TURN_TOLERANCE",
    "MAX_ABS_VALUE",
    "ROTATION_TOLERANCE",
    "UNIT_TOLERANCE",
    "Array",
    "ArrayField",
    "BoolArray",
    "IntArray",
    "InvalidArgument",
    "Matrix",
    "SingularConfiguration",
    "array",
    "boolean_vector",
    "broadcast_to_count",
    "call_user_function",
    "choice",
    "common_shape",
    "count",
    "extended_real_array",
    "format_value",
    "frame",
    "indices",
    "instances",
    "matrix",
    "matrix_without_copy",
    "positive_array",
    "positive_definite",
    "positive_number",
    "real_array",
    "real_number",
    "require_force_law",
    "require_function",
    "require_instance",
    "require_methods",
    "require_within",
    "rotation",
    "rotation_vector",
    "single_vector",
    "skew_symmetric",
    "symmetric",
    "text",
    "twist",
    "twist_matrix",
    "twist_vector",
    "unit_quaternion",
    "unit_vector",
    "vector",
    "with_ndim",
]
