"""Springs and muscles that are assembled, in every step: of the simulator, of the schemes, under joints."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from maximal_simulation import simulate

from rbnotes import inertia, se3
from rbnotes.dynamics import (
    State,
    bridson_marino,
    constrain_scheme,
    energy_conserving_euler,
    implicit_euler,
    implicit_momentum_conserving_euler,
    integrate,
    momentum_conserving_euler,
    runge_kutta,
    symplectic_euler,
    trapezoidal,
)
from rbnotes.forces import (
    Damping,
    ForceGroups,
    FrameSpring,
    FrameSprings,
    LinearSpring,
    Muscle,
    PathForces,
    SpringDamper,
    on_body,
    on_world,
    path_through,
)
from rbnotes.joints import Revolute
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel

FORCES = ForceGroups(
    [
        PathForces(
            Muscle(8.0, 1.1, 3.0, activation=0.8),
            path_through(
                on_world([-1.0, 0.2, 0.5]), on_body(0, [-0.3, 0.2, 0.2]), on_body(1, [0.1, -0.3, 0.2])
            ),
        ),
        PathForces(
            SpringDamper(20.0, 0.5, 0.4),
            path_through(on_body(0, [0.2, 0.3, 0.0]), on_body(1, [0.0, 0.2, -0.3])),
        ),
        FrameSprings(
            FrameSpring.isotropic(np.eye(4), se3.exp([0.1, 0.4, -0.2, 0.1, 0.0, 0.2]), 10.0, 2.0, 0.3, 0.1),
            (0, 1),
        ),
        Damping(0.2, [0, 1]),
    ]
)


def hinged_bodies():
    """Return two bodies, one hinged to the world, on a muscle, a spring-damper and a frame spring."""
    bodies = np.stack(
        [
            inertia.spatial_inertia(1.5, np.diag([0.3, 0.5, 0.4]), [0.1, 0.2, -0.1]),
            inertia.spatial_inertia(0.8, np.diag([0.2, 0.1, 0.25]), [-0.1, 0.0, 0.15]),
        ]
    )
    poses = se3.exp([[0.4, -0.7, 0.2, 0.0, 0.0, 0.0], [-0.9, 0.1, 0.5, 1.2, 0.4, -0.3]])
    joints = [maximal.joint_from_world_frame(Revolute(), se3.exp([0.2, 0.5, -0.1, 0.3, 0.2, 0.1]), poses, 0)]
    model = MaximalModel(bodies, joints, applied_forces=FORCES)
    rng = np.random.default_rng(1)
    return model, maximal.project(model, State(poses, rng.normal(size=(2, 6))))


@cache
def exact():
    """Return the hinged bodies after 0.2 s, far more exact than any of the steps."""
    return runge_kutta(*hinged_bodies(), 0.2, rtol=1e-7, atol=1e-9)


def error(path):
    return np.linalg.norm(path - exact().E)


EULER = [
    symplectic_euler,
    implicit_euler,
    momentum_conserving_euler,
    energy_conserving_euler,
    implicit_momentum_conserving_euler,
]


# The rows of a hinge to the world are constant in the body: where they are seen from does not matter.
@pytest.mark.parametrize(("integrator", "order"), [*((each, 1) for each in EULER), (trapezoidal, 2)])
@pytest.mark.slow
def test_simulator_converges_with_every_scheme(integrator, order):
    model, state = hinged_bodies()
    errors = [error(simulate(model, state, 0.2 / n, n, integrator=integrator).states.E[-1]) for n in (10, 20)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)
    assert errors[1] < 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "order"), [(symplectic_euler, 1), (implicit_euler, 1), (trapezoidal, 2), (bridson_marino, 2)]
)
def test_schemes_with_joints_converge(scheme, order):
    model, state = hinged_bodies()
    step = constrain_scheme(scheme, lambda state, h: [maximal.joint_velocity_constraints(model, state)])
    errors = [error(integrate(step, model, state, 0.2 / n, n).E[-1]) for n in (10, 20)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.25)


@pytest.mark.slow
def test_stiff_springs_require_the_implicit_step():
    """A spring of 1e6 N/m, unstrained at the start: this step is too long for all but the implicit ones."""
    model, state = hinged_bodies()
    ends = np.array([[0.2, 0.3, 0.0], [0.0, 0.2, -0.3]])
    length = np.linalg.norm(np.subtract(*se3.transform_points(state.E, ends)))
    spring = PathForces(
        LinearSpring(1e6, rest_length=length), path_through(on_body(0, ends[0]), on_body(1, ends[1]))
    )
    stiff = replace(model, applied_forces=ForceGroups([spring]))
    for integrator in (implicit_momentum_conserving_euler, implicit_euler):
        calm = simulate(stiff, state, 0.005, 20, integrator=integrator)
        assert np.abs(calm.states.phi).max() < 10
        distance = [np.linalg.norm(np.subtract(*se3.transform_points(E, ends))) for E in calm.states.E]
        np.testing.assert_allclose(distance, length, rtol=0.02)
    for integrator in (momentum_conserving_euler, symplectic_euler):
        wild = simulate(stiff, state, 0.005, 10, integrator=integrator, stabilization="none")
        assert np.abs(wild.states.phi).max() > 100
