"""Numbers in a row, ``lanes`` apart, read and written at once."""

from rbnotes.kernels._algebra import inlined


@inlined
def read3(x, o, n):
    """Three numbers from o on, n apart."""
    a = x[o]
    o += n
    b = x[o]
    o += n
    return a, b, x[o]


@inlined
def read6(x, o, n):
    """Six numbers."""
    a, b, c = read3(x, o, n)
    o = o + n + n + n
    d, e, f = read3(x, o, n)
    return a, b, c, d, e, f


@inlined
def read9(x, o, n):
    """Nine numbers."""
    a, b, c, d, e, f = read6(x, o, n)
    o = o + n + n + n + n + n + n
    g, h, i = read3(x, o, n)
    return a, b, c, d, e, f, g, h, i


@inlined
def read10(x, o, n):
    """Ten numbers."""
    a, b, c, d, e, f, g, h, i = read9(x, o, n)
    return a, b, c, d, e, f, g, h, i, x[o + n + n + n + n + n + n + n + n + n]


@inlined
def write3(x, o, n, a, b, c):
    """Three numbers from o on, n apart."""
    x[o] = a
    o += n
    x[o] = b
    o += n
    x[o] = c


@inlined
def write6(x, o, n, a, b, c, d, e, f):
    """Six numbers."""
    write3(x, o, n, a, b, c)
    write3(x, o + n + n + n, n, d, e, f)


@inlined
def write9(x, o, n, a, b, c, d, e, f, g, h, i):
    """Nine numbers."""
    write6(x, o, n, a, b, c, d, e, f)
    write3(x, o + n + n + n + n + n + n, n, g, h, i)


@inlined
def add6(x, o, n, onto, a, b, c, d, e, f):
    """Six numbers, added to what is there, or in its place."""
    p, q, r, s, t, u = read6(x, o, n)
    a += p if onto else 0.0
    b += q if onto else 0.0
    c += r if onto else 0.0
    d += s if onto else 0.0
    e += t if onto else 0.0
    f += u if onto else 0.0
    write6(x, o, n, a, b, c, d, e, f)


@inlined
def add9(x, o, n, onto, a, b, c, d, e, f, g, h, i):
    """Nine numbers, added to what is there, or in its place."""
    add6(x, o, n, onto, a, b, c, d, e, f)
    o = o + n + n + n + n + n + n
    p, q, r = read3(x, o, n)
    g += p if onto else 0.0
    h += q if onto else 0.0
    i += r if onto else 0.0
    write3(x, o, n, g, h, i)
