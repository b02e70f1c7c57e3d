"""Cost of the recursions in multiplications: constant for each link."""

import numpy as np
import pytest
from random_trees import ALL, body, frame, unit

from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.testing import count_multiplications

TYPES = ("revolute", "universal", "quaternion", "prismatic", "offset")
LENGTHS = 5, 10, 20


def chain_or_tree(links, chain):
    """Return a chain, or a tree with few branching links; the types of joints repeat."""
    rng = np.random.default_rng(2)
    made = []
    for i in range(links):
        parent = i - 1 if chain else (i - 1) // 2
        on = None if i == 0 else f"{parent}"
        joint = ALL[TYPES[i % len(TYPES)]](rng)
        made.append(Link(f"{i}", joint, body(rng), on, frame(rng), frame(rng)))
    return Tree(made, gravity=unit(rng))


def jacobian_product(tree, q):
    reduced.jacobian_product(tree, q, q)


def jacobian_dot_product(tree, q):
    reduced.jacobian_rate_product(tree, q, q, q)


def jacobian_transpose_product(tree, q):
    reduced.jacobian_transpose_product(tree, q, np.ones((len(tree.links), 6)))


def inverse_dynamics(tree, q):
    reduced.inverse_dynamics(tree, q, q, q)


def forward_dynamics(tree, q):
    reduced.forward_dynamics(tree, q, q, q)


def hybrid_dynamics(tree, q):
    prescribed = {link.name: np.ones(link.joint.num_coordinates) for link in tree.links[1 :: len(TYPES)]}
    reduced.hybrid_dynamics(tree, q, q, prescribed, q)


def bias_forces(tree, q):
    reduced.bias_forces(tree, q, q)


def mass_product(tree, q):
    reduced.mass_product(tree, q, q)


def jacobian(tree, q):
    reduced.jacobian(tree, q)


def inverse_dynamics_dense(tree, q):
    reduced.inverse_dynamics_dense(tree, q, q, q)


def forward_dynamics_dense(tree, q):
    reduced.forward_dynamics_dense(tree, q, q, q)


def counts(function, chain):
    made = [chain_or_tree(n, chain) for n in LENGTHS]
    return [count_multiplications(lambda t=tree: function(t, t.neutral + 0.3)) for tree in made]


LINEAR = (
    jacobian_product,
    jacobian_dot_product,
    jacobian_transpose_product,
    inverse_dynamics,
    forward_dynamics,
    hybrid_dynamics,
    bias_forces,
    mass_product,
)


@pytest.mark.parametrize("function", LINEAR)
@pytest.mark.parametrize("chain", [True, False])
def test_recursions_have_constant_cost_per_link(function, chain):
    short, middle, long = counts(function, chain)
    assert long - middle == 2 * (middle - short) > 0


@pytest.mark.parametrize("function", [jacobian, inverse_dynamics_dense, forward_dynamics_dense])
def test_dense_forms_have_growing_cost_per_link(function):
    short, middle, long = counts(function, True)
    assert long - middle > 3 * (middle - short)
