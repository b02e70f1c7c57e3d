"""Reads and writes of several numbers of an element, LANES apart.

Each number is a scalar or a vector, as ``like`` (:mod:`rbnotes.compiled.simd.lanes`). Packed numbers are
contiguous.
"""

from rbnotes.compiled.decorators import jit_fma_inline
from rbnotes.compiled.simd.lanes import broadcast_like, read, write
from rbnotes.compiled.tree_layout import LANES, ONE, SIX_LANES, THREE_LANES, U


@jit_fma_inline
def read3(x, o, like):
    """Read three numbers from o."""
    return read(x, o, like), read(x, o + LANES, like), read(x, o + LANES + LANES, like)


@jit_fma_inline
def read6(x, o, like):
    """Read six numbers from o."""
    a, b, c = read3(x, o, like)
    d, e, f = read3(x, o + THREE_LANES, like)
    return a, b, c, d, e, f


@jit_fma_inline
def read9(x, o, like):
    """Read nine numbers from o."""
    a, b, c, d, e, f = read6(x, o, like)
    g, h, i = read3(x, o + SIX_LANES, like)
    return a, b, c, d, e, f, g, h, i


@jit_fma_inline
def read_constant(x, o, like, per_element):
    """Read a constant: the same for all states, or one for each of eight elements."""
    return read(x, o, like) if per_element else broadcast_like(x[o], like)


@jit_fma_inline
def read_constant3(x, o, like, per_element):
    """Read three constants."""
    a, b, c = (
        read_constant(x, o, like, per_element),
        read_constant(x, o + LANES, like, per_element),
        read_constant(x, o + LANES + LANES, like, per_element),
    )
    return a, b, c


@jit_fma_inline
def read_constant6(x, o, like, per_element):
    """Read six constants."""
    a, b, c = read_constant3(x, o, like, per_element)
    d, e, f = read_constant3(x, o + THREE_LANES, like, per_element)
    return a, b, c, d, e, f


@jit_fma_inline
def read_constant9(x, o, like, per_element):
    """Read nine constants."""
    a, b, c, d, e, f = read_constant6(x, o, like, per_element)
    g, h, i = read_constant3(x, o + SIX_LANES, like, per_element)
    return a, b, c, d, e, f, g, h, i


@jit_fma_inline
def write3(x, o, a, b, c):
    """Write three numbers."""
    write(x, o, a)
    write(x, o + LANES, b)
    write(x, o + LANES + LANES, c)


@jit_fma_inline
def write6(x, o, a, b, c, d, e, f):
    """Write six numbers."""
    write3(x, o, a, b, c)
    write3(x, o + THREE_LANES, d, e, f)


@jit_fma_inline
def write9(x, o, a, b, c, d, e, f, g, h, i):
    """Write nine numbers."""
    write6(x, o, a, b, c, d, e, f)
    write3(x, o + SIX_LANES, g, h, i)


@jit_fma_inline
def add6(x, o, a, b, c, d, e, f):
    """Add six numbers."""
    p, q, r, s, t, u = read6(x, o, a)
    write6(x, o, a + p, b + q, c + r, d + s, e + t, f + u)


@jit_fma_inline
def add9(x, o, a, b, c, d, e, f, g, h, i):
    """Add nine numbers."""
    add6(x, o, a, b, c, d, e, f)
    p, q, r = read3(x, o + SIX_LANES, g)
    write3(x, o + SIX_LANES, g + p, h + q, i + r)


@jit_fma_inline
def read_packed3(x, o):
    """Read three contiguous numbers."""
    return x[o], x[o + ONE], x[o + U(2)]


@jit_fma_inline
def read_packed6(x, o):
    """Read six contiguous numbers."""
    a, b, c = read_packed3(x, o)
    d, e, f = read_packed3(x, o + U(3))
    return a, b, c, d, e, f


@jit_fma_inline
def read_packed9(x, o):
    """Read nine contiguous numbers."""
    a, b, c, d, e, f = read_packed6(x, o)
    g, h, i = read_packed3(x, o + U(6))
    return a, b, c, d, e, f, g, h, i


@jit_fma_inline
def write_packed3(x, o, a, b, c):
    """Write three contiguous numbers."""
    x[o] = a
    x[o + ONE] = b
    x[o + U(2)] = c


@jit_fma_inline
def write_packed6(x, o, a, b, c, d, e, f):
    """Write six contiguous numbers."""
    write_packed3(x, o, a, b, c)
    write_packed3(x, o + U(3), d, e, f)
