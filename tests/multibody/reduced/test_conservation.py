"""Conservation of energy, linear and angular momentum of a free tree to high accuracy."""

from dataclasses import replace

import numpy as np
import pytest
from random_trees import body, frame, unit

from rbnotes import inertia, joints
from rbnotes.dynamics import State
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, path_through
from rbnotes.multibody import Model, reduced, simulate
from rbnotes.multibody.reduced import Link, Tree

ROOTS = {
    "rotation vector": joints.Free3D(),
    "turned frame": joints.Free3D(position_first=False),
    "quaternion": joints.Composite(joints.Translational(), joints.QuaternionSpherical()),
}


def flying_tree(root, gravity):
    """Return a branched tree with joints of many types, springs in its joints and between its bodies."""
    rng = np.random.default_rng(7)
    parts = [
        ("hull", root, None),
        ("hinge", joints.Revolute(unit(rng)), "hull"),
        ("ball", joints.QuaternionSpherical(), "hinge"),
        ("tube", joints.Cylindrical(), "hull"),
        ("cross", joints.Universal(), "tube"),
        ("screw", joints.Helical(unit(rng), 0.3), "hull"),
        ("turn", joints.ExponentialSpherical(), "screw"),
    ]
    links = [
        Link(
            name,
            joint,
            body(rng),
            parent,
            frame(rng),
            frame(rng),
            stiffness=3.0 if name in ("hinge", "tube", "screw") else 0.0,
        )
        for name, joint, parent in parts
    ]
    ends = path_through(on_body(2, [0.3, -0.2, 0.1]), on_body(6, [0.1, 0.4, -0.2]))
    tree = Tree(links, gravity)
    tree = replace(tree, applied_forces=ForceGroups([PathForces(LinearSpring(8.0, 0.0, 0.3), ends)]))
    q, qdot = (
        tree.neutral + 0.3 * rng.normal(size=tree.num_coordinates),
        rng.normal(size=tree.num_coordinates),
    )
    return tree, tree.reparametrize(State(q=q, qdot=qdot))


def center(tree, q):
    """Return the mass, and center of mass in the world, from each body's own."""
    mass, _, com = inertia.from_spatial_inertia(tree.inertias)
    poses = reduced.poses(tree, q).body_poses
    places = np.einsum("nij,nj->ni", poses[:, :3, :3], com) + poses[:, :3, 3]
    return mass.sum(), mass @ places / mass.sum()


@pytest.mark.parametrize("root", ROOTS.values(), ids=ROOTS)
def test_momentum_and_energy(root):
    """Under gravity the center of mass is in free fall: all momenta are known in closed form."""
    gravity = np.array([2.0, -3.0, 5.0])
    tree, start = flying_tree(root, gravity)
    options = {"scheme": "DOP853", "rtol": 1e-11, "atol": 1e-12}
    states = simulate(Model.from_tree(tree), start, h=0.05, steps=3, **options).states
    assert np.linalg.norm(states.q[-1] - states.q[0]) > 0.3
    energies = [tree.energy(states[i]) for i in range(len(states))]
    np.testing.assert_allclose(energies, energies[0], rtol=0, atol=1e-8 * np.abs(energies[0]))

    angular, linear = np.split(reduced.spatial_momentum(tree, states.q, states.qdot), 2, axis=1)
    mass, c = center(tree, start.q)
    t, weight = states.t[:, None], mass * gravity
    v = linear[0] / mass
    size = np.linalg.norm(angular[0]) + np.linalg.norm(linear[0])
    np.testing.assert_allclose(linear, linear[0] + t * weight, rtol=0, atol=1e-8 * size)
    expected = angular[0] + np.cross(c * t + v * t**2 / 2, weight)
    np.testing.assert_allclose(angular, expected, rtol=0, atol=1e-8 * size)
    fallen = c + v * t + gravity * t**2 / 2
    np.testing.assert_allclose([center(tree, q)[1] for q in states.q], fallen, rtol=0, atol=1e-9)
