"""Linear algebra of small vectors and matrices; only :func:`reordered_dot_range` has fused products.

Vectors and quaternions are tuples, the scalar of a quaternion first. The contact code must take the same
decisions as the reference, so its products are not fused, unlike those of
:mod:`rbnotes.compiled.simd.spatial_algebra`.
"""

import math

from rbnotes.compiled.decorators import jit_noalloc, jit_reassoc


@jit_noalloc
def dot(a, b):
    """Return the dot product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@jit_noalloc
def norm(a):
    """Return the Euclidean norm of a vector."""
    return math.sqrt(dot(a, a))


@jit_noalloc
def subtract(a, b):
    """Return ``a - b``."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@jit_noalloc
def add_scaled(a, t, b):
    """Return ``a + t b``."""
    return a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]


@jit_noalloc
def scale(t, a):
    """Return ``t a``."""
    return t * a[0], t * a[1], t * a[2]


@jit_noalloc
def cross(a, b):
    """Return the cross product of two vectors."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@jit_noalloc
def column(pose, i):
    """Return column i of a pose or rotation matrix, an axis or the origin of the frame."""
    return pose[0, i], pose[1, i], pose[2, i]


@jit_noalloc
def matvec(A, x):
    """Return ``A x`` for a 3 x 3 matrix."""
    return (
        A[0, 0] * x[0] + A[0, 1] * x[1] + A[0, 2] * x[2],
        A[1, 0] * x[0] + A[1, 1] * x[1] + A[1, 2] * x[2],
        A[2, 0] * x[0] + A[2, 1] * x[1] + A[2, 2] * x[2],
    )


@jit_noalloc
def matvec_transposed(A, x):
    """Return ``A^T x`` for a 3 x 3 matrix."""
    return (
        A[0, 0] * x[0] + A[1, 0] * x[1] + A[2, 0] * x[2],
        A[0, 1] * x[0] + A[1, 1] * x[1] + A[2, 1] * x[2],
        A[0, 2] * x[0] + A[1, 2] * x[1] + A[2, 2] * x[2],
    )


@jit_noalloc
def quaternion_product(q, p):
    """Return the product of two quaternions."""
    return (
        q[0] * p[0] - q[1] * p[1] - q[2] * p[2] - q[3] * p[3],
        q[0] * p[1] + q[1] * p[0] + q[2] * p[3] - q[3] * p[2],
        q[0] * p[2] + q[2] * p[0] + q[3] * p[1] - q[1] * p[3],
        q[0] * p[3] + q[3] * p[0] + q[1] * p[2] - q[2] * p[1],
    )


@jit_noalloc
def dot_range(x, x_start, y, y_start, first, last):
    """Return the sum of products of the entries from `first` to `last`, in this order."""
    total = 0.0
    for k in range(first, last):
        total += x[x_start + k] * y[y_start + k]
    return total


@jit_reassoc
def reordered_dot_range(x, x_start, y, y_start, first, last):
    """Return the sum of products of the entries from `first` to `last`, in any order and with fused products.

    It takes less time than :func:`dot_range`, but rounds differently on each processor.
    """
    total = 0.0
    for k in range(first, last):
        total += x[x_start + k] * y[y_start + k]
    return total


@jit_noalloc
def dot6(x, y):
    """Return the dot product of two vectors of six numbers."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@jit_noalloc
def copy_array(x, out):
    """Copy x to `out`."""
    for i in range(len(x)):
        out[i] = x[i]


@jit_noalloc
def fill_array(x, value):
    """Write the same value to all entries."""
    for i in range(len(x)):
        x[i] = value


@jit_noalloc
def set_row(x, i, values):
    """Write three numbers into row i."""
    x[i, 0], x[i, 1], x[i, 2] = values


@jit_noalloc
def copy_rows(x, count, out):
    """Copy the first rows to another array."""
    for i in range(count):
        copy_array(x[i], out[i])


@jit_noalloc
def nan_max(a, b):
    """Return the larger number, or NaN if one of them is NaN, which ``max`` may lose."""
    return a if a >= b or a != a else b


@jit_noalloc
def max_abs(x):
    """Return the largest absolute value, NaN if an entry is NaN."""
    size = 0.0
    for i in range(len(x)):
        size = nan_max(size, abs(x[i]))
    return size
