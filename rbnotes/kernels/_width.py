"""Vectors as wide as the processor has them."""

from numba.core import types
from numba.extending import intrinsic, overload


def widest():
    """Has the compiler use vectors of 512 bits, where there are any, in the function that calls this.

    By itself it takes half of that on processors whose clock might slow down, which costs the sweeps over a
    batch, which are almost nothing but sums and products, a tenth of their time.
    """


@overload(widest, inline="always")
def _widest():
    return lambda: _prefer_512_bits()


@intrinsic
def _prefer_512_bits(typing_context):
    def mark(context, builder, signature, arguments):
        # Of llvmlite's own names for attributes, which it checks on adding, none is for this.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), mark
