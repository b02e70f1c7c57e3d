"""Several numbers of an element, LANES apart, read and written at once; each is one number, or eight.

Numbers that stand side by side are near.
"""

from rbnotes.kernels._algebra import inlined
from rbnotes.kernels._layout import LANES, ONE, SIX, THREE, U
from rbnotes.kernels._numbers import read, spread, write


@inlined
def read3(x, o, like):
    """Three numbers from o on."""
    return read(x, o, like), read(x, o + LANES, like), read(x, o + LANES + LANES, like)


@inlined
def read6(x, o, like):
    """Six numbers."""
    a, b, c = read3(x, o, like)
    d, e, f = read3(x, o + THREE, like)
    return a, b, c, d, e, f


@inlined
def read9(x, o, like):
    """Nine numbers."""
    a, b, c, d, e, f = read6(x, o, like)
    g, h, i = read3(x, o + SIX, like)
    return a, b, c, d, e, f, g, h, i


@inlined
def fixed(x, o, like, across):
    """A constant: of all states the same, of elements across the tree each its own."""
    return read(x, o, like) if across else spread(x[o], like)


@inlined
def fixed3(x, o, like, across):
    """Three constants."""
    a, b, c = (
        fixed(x, o, like, across),
        fixed(x, o + LANES, like, across),
        fixed(x, o + LANES + LANES, like, across),
    )
    return a, b, c


@inlined
def fixed6(x, o, like, across):
    """Six constants."""
    a, b, c = fixed3(x, o, like, across)
    d, e, f = fixed3(x, o + THREE, like, across)
    return a, b, c, d, e, f


@inlined
def fixed9(x, o, like, across):
    """Nine constants."""
    a, b, c, d, e, f = fixed6(x, o, like, across)
    g, h, i = fixed3(x, o + SIX, like, across)
    return a, b, c, d, e, f, g, h, i


@inlined
def write3(x, o, a, b, c):
    """Three numbers from o on."""
    write(x, o, a)
    write(x, o + LANES, b)
    write(x, o + LANES + LANES, c)


@inlined
def write6(x, o, a, b, c, d, e, f):
    """Six numbers."""
    write3(x, o, a, b, c)
    write3(x, o + THREE, d, e, f)


@inlined
def write9(x, o, a, b, c, d, e, f, g, h, i):
    """Nine numbers."""
    write6(x, o, a, b, c, d, e, f)
    write3(x, o + SIX, g, h, i)


@inlined
def add6(x, o, a, b, c, d, e, f):
    """Six numbers, added to what is there."""
    p, q, r, s, t, u = read6(x, o, a)
    write6(x, o, a + p, b + q, c + r, d + s, e + t, f + u)


@inlined
def add9(x, o, a, b, c, d, e, f, g, h, i):
    """Nine numbers."""
    add6(x, o, a, b, c, d, e, f)
    p, q, r = read3(x, o + SIX, g)
    write3(x, o + SIX, g + p, h + q, i + r)


@inlined
def near3(x, o):
    """Three numbers, side by side."""
    return x[o], x[o + ONE], x[o + U(2)]


@inlined
def near6(x, o):
    """Six of them."""
    a, b, c = near3(x, o)
    d, e, f = near3(x, o + U(3))
    return a, b, c, d, e, f


@inlined
def near9(x, o):
    """Nine of them."""
    a, b, c, d, e, f = near6(x, o)
    g, h, i = near3(x, o + U(6))
    return a, b, c, d, e, f, g, h, i


@inlined
def put3(x, o, a, b, c):
    """Writes what :func:`near3` reads."""
    x[o] = a
    x[o + ONE] = b
    x[o + U(2)] = c


@inlined
def put6(x, o, a, b, c, d, e, f):
    """Six of them."""
    put3(x, o, a, b, c)
    put3(x, o + U(3), d, e, f)
