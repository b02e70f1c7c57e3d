"""Dynamics of models with free bodies, against Pinocchio, differences, and closed forms."""

import numpy as np
import pinocchio
import pytest
from random_models import TWIST, in_pinocchio, random_state, robot
from random_trees import frame

from rbnotes import joints, se3
from rbnotes.arguments import InvalidArgument
from rbnotes.forces import ForceGroups, LinearSpring, PathForces, on_body, path_through
from rbnotes.multibody import (
    Body,
    Model,
    bias_forces,
    forward_dynamics,
    frame_jacobian,
    frame_jacobian_rate,
    inverse_dynamics,
    kinetic_energy,
    mass_matrix,
    potential_energy,
)
from rbnotes.multibody.reduced import LoopClosure, PrescribedJoint
from rbnotes.testing import derivative


@pytest.mark.parametrize("seed", [0, 1])
def test_dynamics_agree_with_pinocchio(seed):
    model = robot(seed)
    state = random_state(model)
    theirs, data, q, v, order, _ = in_pinocchio(model, state)
    M = pinocchio.crba(theirs, data, q)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(mass_matrix(model, state)[np.ix_(order, order)], M, rtol=0, atol=1e-11)
    bias = pinocchio.rnea(theirs, data, q, v, np.zeros(len(v)))
    np.testing.assert_allclose(bias_forces(model, state)[order], bias, rtol=0, atol=1e-10)
    tau = np.random.default_rng(7).normal(size=len(v))
    expected = pinocchio.aba(theirs, data, q, v, tau[order])
    accelerations = forward_dynamics(model, state, tau)
    np.testing.assert_allclose(accelerations[order], expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(inverse_dynamics(model, state, accelerations), tau, rtol=0, atol=1e-9)
    energy = pinocchio.computeKineticEnergy(theirs, data, q, v)
    assert kinetic_energy(model, state) == pytest.approx(energy, rel=1e-11)
    assert potential_energy(model, state) == pytest.approx(
        pinocchio.computePotentialEnergy(theirs, data, q), rel=1e-11
    )


def test_frame_jacobians_agree_with_pinocchio():
    model = robot(3)
    state = random_state(model)
    theirs, data, q, v, order, ids = in_pinocchio(model, state)
    tool = frame(np.random.default_rng(9))
    link = model.tree.links[model.index("shank")]
    number = theirs.addFrame(
        pinocchio.Frame("tool", ids["shank"], 0, pinocchio.SE3(link.body_frame @ tool), pinocchio.OP_FRAME)
    )
    data = theirs.createData()
    for reference, name in (
        ("body", pinocchio.LOCAL),
        ("world", pinocchio.WORLD),
        ("world_aligned", pinocchio.LOCAL_WORLD_ALIGNED),
    ):
        expected = pinocchio.computeFrameJacobian(theirs, data, q, number, name)[TWIST]
        actual = frame_jacobian(model, state, "shank", tool, reference=reference)[:, order]
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-11)
        pinocchio.computeJointJacobiansTimeVariation(theirs, data, q, v)
        pinocchio.updateFramePlacements(theirs, data)
        rate = pinocchio.getFrameJacobianTimeVariation(theirs, data, number, name)[TWIST]
        actual = frame_jacobian_rate(model, state, "shank", tool, reference=reference)[:, order]
        np.testing.assert_allclose(actual, rate, rtol=0, atol=1e-11)


def test_frame_jacobian_is_the_derivative_of_the_pose():
    model = robot(4)
    state = random_state(model)
    tool = frame(np.random.default_rng(11))

    def pose(t):
        """Return the pose of the tool after moving for a time t with the velocities of the state."""
        poses = {
            name: state.E[k] @ se3.exp(t * state.phi[k])
            for k, name in enumerate(b.name for b in model.bodies if b.is_free)
        }
        q = dict(zip((b.name for b in model.bodies if not b.is_free), state.q + t * state.qdot, strict=True))
        return model.body_state(model.state(q=q, poses=poses)).E[model.index("shank")] @ tool

    twist = derivative(lambda t: se3.log(se3.inverse(pose(0.0)) @ pose(t))).value
    result = frame_jacobian(model, state, "shank", tool) @ state.velocity
    np.testing.assert_allclose(result, twist, rtol=0, atol=1e-7)


def test_forces_of_the_model_do_the_work_that_their_potential_loses():
    ends = path_through(on_body(0, [0.1, 0.2, 0.3]), on_body(4, [-0.2, 0.1, 0.0]))
    model = robot(6, ForceGroups([PathForces(LinearSpring(20.0, 0.0, 0.4), ends)]))
    state = random_state(model)
    tree_state = model.tree_state(state)
    acceleration = forward_dynamics(model, state)
    power = state.velocity @ (mass_matrix(model, state) @ acceleration + bias_forces(model, state))

    def stored_energy(t):
        displaced_state = tree_state.retract(t * tree_state.qdot)
        energy_of_gravity = potential_energy(
            Model(model.bodies, gravity=model.gravity), model.state_from_tree(displaced_state)
        )
        return potential_energy(model, model.state_from_tree(displaced_state)) - energy_of_gravity

    assert power == pytest.approx(-derivative(stored_energy).value, abs=1e-6)


def test_constraints_hold_in_forward_dynamics():
    def arm(constraints):
        links, parent = [], None
        for name in ("a", "b", "c"):
            links.append(
                Body(
                    name,
                    inertia=np.diag([0.1, 0.2, 0.3, 1.0, 1.0, 1.0]),
                    joint=joints.Revolute([0.0, 0.0, 1.0]),
                    parent=parent,
                    joint_frame=se3.frame(np.eye(3), [0.0 if parent is None else 0.5, 0, 0]),
                )
            )
            parent = name
        return Model(links, constraints=constraints)

    state = arm([]).state(q={"a": 0.3, "b": -0.7, "c": 0.2}, qdot={"a": 1.0, "b": -0.5, "c": 0.4})
    driven = arm([PrescribedJoint("b", lambda t: (-0.7, -0.5, 2.0))])
    assert forward_dynamics(driven, state)[1] == pytest.approx(2.0, abs=1e-12)
    J = frame_jacobian(arm([]), state, "c", reference="world_aligned")[3:5]
    state = state.with_velocity(np.cross(*J))  # velocities at which the tip rests
    tip = arm([]).body_state(state).E[2][:3, 3]
    closure = LoopClosure("c", [0.0, 0.0, 0.0], None, tip, [0.0, 0.0, 1.0])
    acceleration = forward_dynamics(arm([closure]), state)
    rates = derivative(
        lambda t: frame_jacobian(
            arm([]),
            arm([]).state(q=dict(zip("abc", state.q + t * state.qdot, strict=True))),
            "c",
            reference="world_aligned",
        )[3:5]
    ).value
    np.testing.assert_allclose(J @ acceleration + rates @ state.qdot, 0, atol=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda model, state: forward_dynamics(model, state, [1.0]), "tau: got shape"),
        (lambda model, state: inverse_dynamics(model, state, [1.0]), "acceleration: got shape"),
        (lambda model, state: frame_jacobian(model, state, "foot"), "body: got 'foot'"),
        (
            lambda model, state: frame_jacobian(model, state, "tail", reference="local"),
            "reference: got 'local'",
        ),
        (
            lambda model, state: mass_matrix(model, random_state(Model(model.bodies[:1]))),
            "state: got 1 poses",
        ),
    ],
)
def test_errors_name_the_argument(call, message):
    model = robot(0)
    with pytest.raises(InvalidArgument, match=message):
        call(model, random_state(model))
