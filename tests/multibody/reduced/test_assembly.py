"""Assembly of mechanisms: closed loops, admissible velocities, and unclosable loops."""

import numpy as np
import pytest
from random_trees import body
from test_constraints import LENGTHS, branched_system, close, four_bars, wave

from rbnotes import joints
from rbnotes.arguments import InvalidArgument
from rbnotes.dynamics import State
from rbnotes.errors import NotConverged
from rbnotes.multibody import reduced
from rbnotes.multibody.reduced import (
    AttachedParticle,
    Gear,
    JointLimit,
    Link,
    LoopClosure,
    PrescribedJoint,
    Tree,
    assemble_configuration,
)


class TestAssembled:
    @pytest.mark.parametrize("seed", range(3))
    def test_four_bars_by_the_law_of_cosines(self, seed):
        tree, loop, state = four_bars(seed)
        rng = np.random.default_rng(seed)
        open_state = State(q=state.q + np.array([0, 0, 0.1, 0.15, -0.1]), qdot=rng.normal(size=5))
        configuration = assemble_configuration(tree, [loop], open_state, locked=["base", "left"])
        close(configuration.q[:3], open_state.q[:3], 1e-15)
        close(configuration.qdot[:3], open_state.qdot[:3], 1e-15)
        ground, crank, coupler, right = (LENGTHS[k] for k in ("ground", "left", "coupler", "right"))
        tip = crank * np.array([np.cos(configuration.q[2]), np.sin(configuration.q[2])])
        end = np.array([ground, 0]) + right * np.array(
            [np.cos(configuration.q[4]), np.sin(configuration.q[4])]
        )
        assert np.linalg.norm(end - tip) == pytest.approx(coupler, abs=1e-9)
        coupler_angle = configuration.q[2] + configuration.q[3]
        close(end - tip, coupler * np.array([np.cos(coupler_angle), np.sin(coupler_angle)]))
        rows = loop.rows(tree, configuration, 0.0)
        close(rows.G @ configuration.qdot, np.zeros(2))

    def test_assembly_is_the_smallest_correction(self):
        """The change of velocities is an impulse of the constraints."""
        tree, loop, state = four_bars(1)
        pushed = State(q=state.q, qdot=state.qdot + np.array([0.3, -0.1, 0.4, 0.2, -0.5]))
        configuration = assemble_configuration(tree, [loop], pushed)
        close(configuration.q, state.q)
        G = loop.rows(tree, configuration, 0.0).G
        impulse = tree.mass_matrix(configuration) @ (configuration.qdot - pushed.qdot)
        shares = np.linalg.lstsq(G.T, impulse, rcond=None)[0]
        assert np.linalg.norm(impulse) > 0.1
        close(G.T @ shares, impulse)

    def test_prescribed_motions_and_particles(self):
        tree, state = branched_system(np.random.default_rng(2))
        prescribed, attached = (
            PrescribedJoint("leg", wave(0.2, 2)),
            AttachedParticle(1, "hand", [0.2, 0.3, -0.1]),
        )
        configuration = assemble_configuration(tree, [prescribed, attached], state, locked=["arm"])
        leg = tree.coordinate_slices[tree.index("leg")]
        close(configuration.q[leg], prescribed.motion(state.t)[0])
        close(configuration.qdot[leg], prescribed.motion(state.t)[1])
        close(attached.rows(tree, configuration, 0.0).error, np.zeros(3))

    def test_coordinates_with_constraints_of_their_own(self):
        rng = np.random.default_rng(8)
        tree = Tree([Link("ball", joints.QuaternionSpherical(), body(rng))])
        anchor = np.array([0.0, 0.6, 0.8])
        loop = LoopClosure("ball", [1.0, 0, 0], None, anchor)
        q = np.array([0.8, 0.1, -0.5, 0.4])
        configuration = assemble_configuration(tree, [loop], State(q=q, qdot=rng.normal(size=4)))
        assert np.linalg.norm(configuration.q) == pytest.approx(1, abs=1e-9)
        close(
            reduced.poses(tree, configuration.q).body_poses[0] @ np.array([1, 0, 0, 1]), np.append(anchor, 1)
        )
        assert configuration.q @ configuration.qdot == pytest.approx(0, abs=1e-9)

    def test_unclosable_loop_is_reported(self):
        tree, loop, state = four_bars(0)
        far = LoopClosure("coupler", np.array([9.0, 0, 0]), "right", [0, 0, 0], axis=[0.0, 0.0, 1.0])
        with pytest.raises(
            NotConverged, match=r"left open: .*LoopClosure\('coupler', 'right'\) by \d"
        ) as raised:
            assemble_configuration(tree, [Gear("left", "right"), far], state)
        left = far.rows(tree, raised.value.solution, 0.0).error
        assert np.max(np.abs(left)) > 1
        with pytest.raises(InvalidArgument, match=r"JointLimit\('left'\), expected equations only"):
            assemble_configuration(tree, [JointLimit("left", 0.0)], state)
        with pytest.raises(InvalidArgument, match="locked: got all joints"):
            assemble_configuration(tree, [loop], state, locked=[link.name for link in tree.links])
