"""Balance of energy and momentum of every step, closed loops, orders of the schemes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from maximal_simulation import simulate
from simulated import MODELS, SCHEMES, chain, kinds, masses, pile, pose_at

from rbnotes import inertia, se3, so3
from rbnotes.arguments import InvalidArgument
from rbnotes.constraints.stabilization import velocity_target
from rbnotes.contact import Collider
from rbnotes.dynamics import (
    WORLD,
    Forces,
    State,
    constrain_scheme,
    constrained_step,
    energy_conserving_euler,
    implicit_momentum_conserving_euler,
    momentum_conserving_euler,
    runge_kutta,
    spatial_momentum,
    symplectic_euler,
)
from rbnotes.joints import Revolute
from rbnotes.multibody import maximal
from rbnotes.multibody.maximal import MaximalModel
from rbnotes.multibody.step_settings import STABILIZATIONS
from rbnotes.shapes import Box, Sphere
from rbnotes.testing.strategies import arrays


class TestBalance:
    @pytest.mark.slow
    def test_work_of_every_joint_and_contact(self):
        """In each step kinetic energy changes by the work of wrenches, contacts and joints together."""
        model, start = pile()
        h, M = 0.01, model.free_system.sparse_mass_matrix
        path = simulate(model, start, h, 70, integrator=symplectic_euler)
        pairs = {
            (int(a), int(b))
            for r in path.contacts
            for a, b in zip(r.points.a[r.impulses[:, 0] > 0], r.points.b[r.impulses[:, 0] > 0], strict=True)
        }
        assert len(pairs) >= 4  # ground and between bodies: otherwise this would be an easy scene
        for k, record in enumerate(path.contacts):
            before, after = path.states[k], path.states.phi[k + 1].ravel()
            mean = (before.phi.ravel() + after) / 2
            change = after @ M @ after / 2 - before.phi.ravel() @ M @ before.phi.ravel() / 2
            of_wrenches = h * model.force(before) @ mean
            G = maximal.constraint_jacobian(model.joints, before.E)
            of_joints = path.joint_impulses[k] @ (G @ mean)
            np.testing.assert_allclose(
                change, of_wrenches + of_joints + record.work.sum(), atol=1e-9 * (1 + abs(change))
            )
            np.testing.assert_allclose(G @ after, 0, atol=1e-9)

    @pytest.mark.slow
    def test_internal_impulses_cancel(self):
        """Total momentum changes by gravity and impulses of the world; internal impulses cancel in pairs."""
        model, start = pile()
        h, model = 0.01, model
        path = simulate(model, start, h, 90, integrator=momentum_conserving_euler, stabilization="none")
        weights, centers = model.free_system.body_weights, model.free_system.mass_properties.com
        momenta = spatial_momentum(model.inertias, path.states.E, path.states.phi).sum(axis=1)
        for k, record in enumerate(path.contacts):
            E, p = path.states.E[k], record.points
            x = se3.transform_points(E, centers)
            expected = h * np.concatenate([np.cross(x, weights), weights], axis=1).sum(axis=0)
            of_world = (p.a == WORLD).astype(float) - (p.b == WORLD)
            impulses = -of_world[:, None] * record.world_impulses
            expected += np.concatenate([np.cross(p.position, impulses), impulses], axis=1).sum(axis=0)
            reaction = maximal.joint_reactions(model.joints[0], E, path.joint_impulses[k, :3])
            expected -= reaction.on_parent
            np.testing.assert_allclose(momenta[k + 1] - momenta[k], expected, atol=1e-8)
            inner = maximal.joint_reactions(model.joints[1], E, path.joint_impulses[k, 3:])
            on_both = (se3.Ad_inverse(E[[1, 0]]).swapaxes(-1, -2) @ np.stack(inner)[..., None])[..., 0]
            np.testing.assert_allclose(on_both.sum(axis=0), 0, atol=1e-8)

    @pytest.mark.parametrize("law", MODELS)
    @pytest.mark.slow
    def test_energy_never_grows_by_contact(self, law):
        model, start = pile()
        weightless = MaximalModel(model.inertias, (), (0, 0, 0), colliders=model.colliders)
        fast = State(start.E, start.phi + np.array([0.3, -0.2, 0.5, 0.4, 0.1, -0.8]))
        path = simulate(weightless, fast, 0.01, 40, friction_model=law, integrator=energy_conserving_euler)
        assert path.contacts[0].impulses[:, 0].max() > 1.0
        assert np.all(np.diff(path.energies) <= 1e-6)
        assert path.energies[-1] < 0.9 * path.energies[0]

    @pytest.mark.slow
    @given(arrays(4, 6), st.sampled_from(STABILIZATIONS[::2]))
    def test_energy_never_grows_by_contact_at_any_speed(self, twists, stabilization):
        model, start = pile()
        weightless = MaximalModel(model.inertias, (), (0, 0, 0), colliders=model.colliders)
        path = simulate(
            weightless,
            State(start.E, twists),
            0.02,
            5,
            integrator=energy_conserving_euler,
            stabilization=stabilization,
        )
        assert np.all(np.diff(path.energies) <= 1e-9)

    def test_elastic_spheres_keep_energy_and_momentum(self):
        shapes = [Sphere(0.5)] * 3
        inertias = masses(shapes, [1.0, 2.0, 0.5])
        surface = {"mu": 0.0, "restitution": 1.0}
        model = MaximalModel(
            inertias,
            (),
            (0, 0, 0),
            colliders=[Collider(i, shape, **surface) for i, shape in enumerate(shapes)],
        )
        twists = np.zeros((3, 6))
        twists[:, 3:] = [[1, 0, 0], [0, 0, 0], [-1, 0, 0.1]]
        path = simulate(
            model,
            State(np.stack([pose_at(-1.3, 0.2, 0), pose_at(0, 0, 0), pose_at(1.6, 0, 0)]), twists),
            0.01,
            120,
        )
        assert len(kinds(path, "contact_begins")) >= 2
        np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-10)
        momenta = spatial_momentum(inertias, path.states.E, path.states.phi).sum(axis=1)
        np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=1e-10)


class TestLoop:
    """A four-bar linkage: a closed loop of hinges, whose rows repeat each other in space."""

    def linkage(self):
        rod = Box([0.5, 0.05, 0.05]).spatial_inertia(mass=1.0)
        about_y = so3.exp([-np.pi / 2, 0, 0])
        poses = np.stack(
            [
                pose_at(0, 0, 0.25, 0, np.pi / 2, 0),
                pose_at(0.25, 0, 0.5),
                pose_at(0.5, 0, 0.25, 0, np.pi / 2, 0),
            ]
        )
        places = [((0, 0, 0), 0, WORLD), ((0, 0, 0.5), 1, 0), ((0.5, 0, 0.5), 2, 1), ((0.5, 0, 0), 2, WORLD)]
        joints = [
            maximal.joint_from_world_frame(Revolute(), se3.frame(about_y, p), poses, a, b)
            for p, a, b in places
        ]
        return MaximalModel(np.stack([rod] * 3), joints), poses

    @pytest.mark.parametrize("stabilization", STABILIZATIONS)
    @pytest.mark.slow
    def test_loop_stays_closed(self, stabilization):
        """Upright and pushed, the parallelogram falls over, keeps its energy, and its top stays level."""
        model, poses = self.linkage()
        twists = np.zeros((3, 6))
        twists[[0, 2], 1], twists[[0, 2], 5], twists[1, 3] = 1.0, 0.25, 0.5
        path = simulate(model, State(poses, twists), 0.01, 60, stabilization=stabilization)
        error = np.abs(maximal.constraint_error(model.joints, path.states.E[-1])).max()
        assert error < {"none": 0.04, "baumgarte": 6e-3, "projection": 1e-10}[stabilization]
        if stabilization == "projection":
            np.testing.assert_allclose(
                path.states.E[:, 1, :3, :3], np.broadcast_to(np.eye(3), (61, 3, 3)), atol=1e-9
            )
            assert path.states.E[-1, 1, 2, 3] < 0.3
            np.testing.assert_allclose(path.energies[:40], path.energies[0], rtol=0.02)


class TestIntegrators:
    def test_screw_scheme_equals_the_mechanism_step(self):
        model, start, _ = chain(3)
        path = simulate(model, start, 0.01, 20, integrator=symplectic_euler)
        step = constrain_scheme(
            symplectic_euler, lambda state, h: [maximal.joint_velocity_constraints(model, state)]
        )
        state = start
        for _ in range(20):
            state = step(model, state, 0.01)
            state = replace(state, E=maximal.project_poses(model, state.E))
        np.testing.assert_allclose(path.states.E[-1], state.E, atol=1e-10)
        np.testing.assert_allclose(path.states.phi[-1], state.phi, atol=1e-9)

    def test_baumgarte_equals_that_of_schemes(self):
        """With joint errors, a step has the targets of :func:`joint_velocity_constraints`."""
        model, start, _ = chain(3)
        apart = State(start.E @ se3.exp(0.02 * np.random.default_rng(2).normal(size=(3, 6))), start.phi)
        assert np.abs(maximal.constraint_error(model.joints, apart.E)).max() > 0.01
        options = {"stabilization": "baumgarte", "gamma": 30.0}
        path = simulate(model, apart, 0.01, 1, integrator=symplectic_euler, **options)
        rows = maximal.joint_velocity_constraints(model, apart, gamma=30.0)
        state = constrained_step(symplectic_euler, model, apart, 0.01, lambda state, h: [rows]).state
        # Baumgarte's -gamma g, less the 8e-11 that SOFTNESS, which guards against rows
        # that repeat others, leaves of it: SOFTNESS times the largest S_ii, gamma and the multipliers S^-1 g.
        g = maximal.constraint_error(model.joints, apart.E)
        np.testing.assert_allclose(rows.target, velocity_target(g, 30.0), rtol=0, atol=1e-9)
        # Both have these rows: only rounding could tell them apart.
        np.testing.assert_allclose(path.states.E[-1], state.E, rtol=0, atol=1e-12)
        np.testing.assert_allclose(path.states.phi[-1], state.phi, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("integrator", SCHEMES)
    def test_order_and_conserved_quantities(self, integrator):
        M = inertia.spatial_inertia(2.0, np.diag([0.4, 0.7, 0.9]), [0.1, -0.2, 0.3])
        start = State(pose_at(0, 0, 0, 0.3, 0.1, 0)[None], np.array([[1, 2, -0.5, 0.3, 0.4, -0.2]]))
        model = MaximalModel(M[None], (), (0, 0, 0))
        exact = runge_kutta(model, start, 1.0)
        errors = []
        for steps in (20, 40):
            path = simulate(model, start, 1 / steps, steps, integrator=integrator)
            errors.append(np.abs(path.states.E[-1] - exact.E).max())
        assert errors[0] / errors[1] == pytest.approx(2, abs=0.3)
        momenta = spatial_momentum(M, path.states.E[:, 0], path.states.phi[:, 0])
        if integrator in (momentum_conserving_euler, implicit_momentum_conserving_euler):
            np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=1e-12)
        if integrator is energy_conserving_euler:
            np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-12)
            np.testing.assert_allclose(momenta[:, 3:], np.broadcast_to(momenta[0, 3:], (41, 3)), atol=1e-12)

    def test_implicit_damper(self):
        """A damper far too stiff for explicit steps brings the body to rest without overshooting."""
        M = Sphere(0.5).spatial_inertia(density=1.0)
        mass, damping, h = M[5, 5], 1e3, 0.05

        def drag(state):
            D = -damping * np.diag([0, 0, 0, 1.0, 1, 1])
            return Forces(D @ state.velocity, np.zeros((6, 6)), D)

        model = MaximalModel(M[None], (), (0, 0, 0), drag)
        start = State(np.eye(4)[None], np.array([[0, 0, 0, 1.0, 0, 0]]))
        path = simulate(model, start, h, 3, integrator=implicit_momentum_conserving_euler)
        expected = (1 + h * damping / mass) ** -np.arange(4.0)
        np.testing.assert_allclose(path.states.phi[:, 0, 3], expected, rtol=1e-12)
        assert abs(simulate(model, start, h, 3).states.phi[-1, 0, 3]) > 1e3

    def test_energy_is_conserved_at_two_radians_per_step(self):
        M = inertia.spatial_inertia(1.0, np.diag([0.6, 0.9, 0.7]))
        start = State(np.eye(4)[None], np.array([[1.2, -0.9, 1.3, 0, 0, 0]]))
        path = simulate(
            MaximalModel(M[None], (), (0, 0, 0)), start, 1.0, 10, integrator=energy_conserving_euler
        )
        np.testing.assert_allclose(path.energies, path.energies[0], rtol=1e-12)
        assert np.ptp(path.states.phi[:, 0, 0]) > 0.5

    def test_too_fast_spin_is_reported(self):
        M = inertia.spatial_inertia(1.0, np.diag([0.61191645, 0.66820568, 0.51676909]))
        start = State(np.eye(4)[None], np.array([[-20.59248644, 13.771322, -19.80137438, 0, 0, 0]]))
        with pytest.raises(InvalidArgument, match="h: got 1 s for this spin"):
            simulate(MaximalModel(M[None]), start, 1.0, 1, integrator=energy_conserving_euler)
