"""Print the number of operations per hinge of a chain in a batch, counted in plain Python."""

import numpy as np

from rbnotes import joints, se3
from rbnotes.compiled import entry_points
from rbnotes.multibody.packing import packed_tree
from rbnotes.multibody.reduced import Link, Tree

COUNTED = (np.add, np.subtract, np.multiply, np.divide)


class CountingArray(np.ndarray):
    """Array of eight numbers that counts its operations."""

    operations = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        CountingArray.operations += ufunc in COUNTED
        arrays = [each.view(np.ndarray) if isinstance(each, CountingArray) else each for each in inputs]
        result = getattr(ufunc, method)(*arrays, **options)
        return result.view(CountingArray) if result.dtype == float else result

    def __array_function__(self, function, types, inputs, options):
        return super().__array_function__(function, types, inputs, options).view(CountingArray)


def operations_per_link(links: int) -> int:
    pose = se3.exp([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    parents = [None, *map(str, range(links - 1))]
    tree = Tree([Link(str(i), joints.Revolute(), np.eye(6), parents[i], pose) for i in range(links)])
    packed = packed_tree.pack_tree(tree)
    work = packed_tree.aligned_zeros(packed.batch_workspace_size).view(CountingArray)
    states = np.random.default_rng(0).normal(size=(4, 8 * links))
    CountingArray.operations = 0
    no_forces = np.zeros(0)
    assert (
        entry_points.ENTRIES["forward_dynamics_batch"][0](
            packed.integers, packed.floats, work, no_forces, *states
        )
        == 0
    )
    return CountingArray.operations


print(operations_per_link(7) - operations_per_link(6))
