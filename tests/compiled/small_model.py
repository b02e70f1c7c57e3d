"""Print the results of all compiled functions on a small tree with all kinds of elements, and two boxes."""

import numpy as np
from lift_joint import lift

from rbnotes import Body, Model, inertia, joints, se3, simulate, so3
from rbnotes.multibody import Geometry, packing
from rbnotes.multibody.reduced import Link, Tree
from rbnotes.shapes import Box, Plane

rng = np.random.default_rng(3)
M = inertia.spatial_inertia(1.3, np.diag([0.3, 0.4, 0.5]), [0.1, -0.2, 0.3])
kinds = (
    joints.Revolute((0.0, 0.6, 0.8)),
    joints.Helical(pitch=0.2),
    joints.ExponentialSpherical(),
    joints.QuaternionSpherical(),
    joints.SplineCurve(se3.exp(0.4 * rng.normal(size=(5, 6)))),
    lift(0.6),
)
parents = (None, "0", "1", "0", "0", "1")
tree = Tree(
    [
        Link(f"{i}", joint, M, parent, se3.exp(rng.normal(size=6)), se3.exp(rng.normal(size=6)))
        for i, (joint, parent) in enumerate(zip(kinds, parents, strict=True))
    ]
)
compiled = packing.compile(tree)
q, v, x = rng.normal(size=(3, 2, tree.num_coordinates))
wrenches = rng.normal(size=(len(tree.links), 6))
lifts = [Link("a", lift(0.8), M), Link("b", lift(1.2), M, "a", se3.exp(rng.normal(size=6)))]
lifted = packing.compile(Tree(lifts))
for result in (
    compiled.forward_dynamics(q[0], v[0], x[0]),
    compiled.inverse_dynamics(q[0], v[0], x[0]),
    compiled.forward_dynamics(q, v, x),
    compiled.hybrid_dynamics(q[0], v[0], {"1": 0.7, "2": x[1, 3:6], "3": x[1, 6:10]}, x[0]),
    compiled.inverse_dynamics(q, v, x),
    lifted.forward_dynamics(q[0, :4], v[0, :4], x[0, :4]),
    compiled.jacobian_product(q[0], v[0]),
    compiled.bias_acceleration(q[0], v[0]),
    compiled.jacobian_transpose_product(q[0], wrenches),
    compiled.forward_dynamics_derivatives(q[0], v[0], x[0], wrenches),
    compiled.inverse_dynamics_derivatives(q[0], v[0], x[0], wrenches),
):
    print(*np.asarray(result).ravel().tolist())

box = Box([0.3, 0.2, 0.1])
poses = se3.frame(so3.exp([[0.01, 0.02, 0.0], [0.03, 0.01, 0.5]]), [[0.0, 0.0, 0.05], [0.05, 0.02, 0.15]])
boxes = Model(
    [Body(name, inertia=M, collision=[Geometry(box)], pose=E) for name, E in zip("ab", poses, strict=True)],
    ground=Plane(),
)
moving = boxes.state(twists=dict(zip("ab", rng.normal(size=(2, 6)) / 10, strict=True)))
path = simulate(boxes, moving, h=0.01, steps=2, compiled=True)
print(*path.states.E.ravel().tolist(), *path.states.phi.ravel().tolist())
