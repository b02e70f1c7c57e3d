"""Trees and worlds compiled: recursions in O(n), for one state or for many at once; steps of the simulator.

:func:`compile` packs a model into flat arrays, which takes milliseconds; the code that reads them is the same
for all models. It is compiled by numba when it is first used and kept on disk, beside the package or, where
that cannot be written to, in the user's cache; ``NUMBA_CACHE_DIR`` names another place. What compiles says so
on the logger ``rbnotes.kernels``. Joints given as functions have a program of their own, one for each kind of
function: it is compiled when the first tree with such a joint is. Other types of the user's are evaluated by
their methods.

:func:`solve_lcp` and :func:`solve_qp` solve small problems, and those of walls, at the speed of compiled
solvers. :func:`sweep` shares many states out among the workers of an executor.

The functions of :mod:`rbnotes.tree` and :mod:`rbnotes.maximal` are the reference: results agree with theirs
to rounding.
"""

from typing import overload

from rbnotes import arguments
from rbnotes.kernels._code import compiled_function
from rbnotes.kernels.compiled import CompiledTree
from rbnotes.kernels.problems import solve_lcp, solve_qp
from rbnotes.kernels.sweeps import sweep
from rbnotes.kernels.world import CompiledWorld
from rbnotes.maximal import World
from rbnotes.tree import Tree

__all__ = ["CompiledTree", "CompiledWorld", "compile", "solve_lcp", "solve_qp", "sweep"]


@overload
def compile(model: Tree) -> CompiledTree: ...


@overload
def compile(model: World) -> CompiledWorld: ...


def compile(model: Tree | World) -> CompiledTree | CompiledWorld:
    """A tree, ready for compiled recursions, one call each or one for a whole batch of states; or a world.

    Raises
    ------
    InvalidArgument
        If it is neither; if a joint of a tree has more than six coordinates, or constraints among them that
        are not a quaternion's; if two planes of a world may touch.
    MissingExtra
        If numba is not installed, which the extra ``compiled`` brings.
    """
    arguments.require_instance("model", model, Tree, World)
    if isinstance(model, Tree):
        compiled: CompiledTree | CompiledWorld = CompiledTree(model)
        compiled_function("forward_one")
    else:
        compiled = CompiledWorld(model.mechanism, model.colliders, model.excluded_pairs)
        (
            compiled_function("touching_shapes"),
            compiled_function("newton_method"),
            compiled_function("rattle_steps"),
        )
    return compiled
