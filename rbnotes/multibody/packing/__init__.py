"""Models packed into arrays, for compiled recursions and time steps.

:func:`compile` packs a tree into flat arrays, which takes milliseconds; :func:`rbnotes.multibody.simulate`
with ``compiled=True`` packs the model. The code that reads them is the same for all models: numba compiles
it on first use and keeps it on disk, beside the package or, if that is not writable, in the user's cache;
the environment variable ``NUMBA_CACHE_DIR`` names another folder. Each compilation is reported on the logger
``rbnotes.compiled``. A joint given as a function has a program of its own, one for each kind of function,
which is compiled with the first tree that has such a joint. Joint types that a user writes are evaluated
through their methods.

:func:`sweep` distributes many states over the workers of an executor.

The functions of :mod:`rbnotes.multibody.reduced` and :mod:`rbnotes.multibody.maximal` are the reference: the
results agree to rounding.
"""

from rbnotes import arguments
from rbnotes.compiled.compilation import compiled_function
from rbnotes.multibody.packing.compiled_tree import CompiledTree
from rbnotes.multibody.packing.parallel_sweep import sweep
from rbnotes.multibody.reduced import Tree

__all__ = ["CompiledTree", "compile", "sweep"]


def compile(model: Tree) -> CompiledTree:
    """Pack a tree for compiled recursions on one state or a batch.

    Raises
    ------
    InvalidArgument
        If `model` is not a tree; if a joint has more than six coordinates, or coordinate constraints that are
        not those of a quaternion.
    MissingExtra
        If numba is not installed, which the extra ``compiled`` installs.
    """
    arguments.require_instance("model", model, Tree)
    compiled = CompiledTree(model)
    compiled_function("forward_dynamics_single")
    return compiled
