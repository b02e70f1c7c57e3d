"""Trees and worlds packed into arrays, for compiled recursions and time steps.

:func:`compile` packs a model into flat arrays, which takes milliseconds. The code that reads them is the same
for all models: numba compiles it on first use and keeps it on disk, beside the package or, if that is not
writable, in the user's cache; the environment variable ``NUMBA_CACHE_DIR`` names another folder. Each
compilation is reported on the logger ``rbnotes.compiled``. A joint given as a function has a program of its
own, one for each kind of function, which is compiled with the first tree that has such a joint. Joint types
that a user writes are evaluated through their methods.

:func:`sweep` distributes many states over the workers of an executor.

The functions of :mod:`rbnotes.multibody.reduced` and :mod:`rbnotes.multibody.maximal` are the reference: the
results agree to rounding.
"""

from typing import overload

from rbnotes import arguments
from rbnotes.compiled.compilation import compiled_function
from rbnotes.multibody.maximal import World
from rbnotes.multibody.packing.compiled_tree import CompiledTree
from rbnotes.multibody.packing.compiled_world import CompiledWorld
from rbnotes.multibody.packing.parallel_sweep import sweep
from rbnotes.multibody.reduced import Tree

__all__ = ["CompiledTree", "CompiledWorld", "compile", "sweep"]


@overload
def compile(model: Tree) -> CompiledTree: ...


@overload
def compile(model: World) -> CompiledWorld: ...


def compile(model: Tree | World) -> CompiledTree | CompiledWorld:
    """Pack a tree for compiled recursions on one state or a batch, or a world for compiled time steps.

    Raises
    ------
    InvalidArgument
        If `model` is neither; if a joint of a tree has more than six coordinates, or coordinate constraints
        that are not those of a quaternion; if two planes of a world may touch.
    MissingExtra
        If numba is not installed, which the extra ``compiled`` installs.
    """
    arguments.require_instance("model", model, Tree, World)
    if isinstance(model, Tree):
        compiled: CompiledTree | CompiledWorld = CompiledTree(model)
        compiled_function("forward_dynamics_single")
    else:
        compiled = CompiledWorld(model.mechanism, model.colliders, model.excluded_pairs, model.body_names)
        (
            compiled_function("find_shape_contacts"),
            compiled_function("solve_friction"),
            compiled_function("take_steps"),
        )
    return compiled
