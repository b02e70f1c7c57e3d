"""Models from MJCF files, with the names of the file and the coordinates of MuJoCo."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rbnotes import arguments
from rbnotes.arguments import Array, InvalidArgument
from rbnotes.dynamics import State
from rbnotes.multibody.model import Model
from rbnotes.unchecked import quaternion, se3, so3

POSITION_COUNTS = {"free": 7, "ball": 4, "hinge": 1, "slide": 1}
"""Numbers of entries in ``qpos`` by types of joints."""
VELOCITY_COUNTS = {"free": 6, "ball": 3, "hinge": 1, "slide": 1}
"""Numbers of entries in ``qvel`` by types of joints."""


class MjcfFrame(NamedTuple):
    """Frame of a body of the file.

    Attributes
    ----------
    body
        Body of the model that carries the frame; None is the world.
    pose
        Pose ``(4, 4)`` in the body frame, m.
    """

    body: str | None
    pose: Array


class MjcfJoint(NamedTuple):
    """Joint of the file.

    Attributes
    ----------
    name
        Name of the joint.
    kind
        ``"free"``, ``"ball"``, ``"hinge"`` or ``"slide"``.
    body
        Body of the model that the joint carries.
    """

    name: str
    kind: str
    body: str


class MjcfActuator(NamedTuple):
    """Actuator of the file: it exerts ``gear`` times its force on the joint.

    Attributes
    ----------
    name
        Name of the actuator.
    kind
        ``"motor"``, ``"position"`` or ``"velocity"``.
    body
        Body of the model that the joint carries.
    gear
        Gear ratio, dimensionless.
    lower
        Least control, N m, N, rad, m, rad/s or m/s; minus infinity without bounds.
    upper
        Largest control, N m, N, rad, m, rad/s or m/s; infinite without bounds.
    """

    name: str
    kind: str
    body: str
    gear: float
    lower: float
    upper: float


class Keyframe(NamedTuple):
    """State of the file.

    Attributes
    ----------
    state
        State of the model.
    control
        Controls ``(k,)`` of the actuators, N m, N, rad, m, rad/s or m/s.
    """

    state: State
    control: Array


@dataclass(frozen=True, eq=False)
class MjcfModel:
    """Model with the names of a file's joints, actuators, frames and keyframes.

    Attributes
    ----------
    model
        Bodies, joints, shapes, actuators and constraints.
    name
        Name of the model.
    joints
        Joints in the order of MuJoCo's ``qpos``.
    actuators
        Actuators in the order of MuJoCo's ``ctrl``.
    frames
        Frames by the names of the file's bodies.
    keyframes
        Keyframes by their names.
    """

    model: Model
    name: str
    joints: Sequence[MjcfJoint]
    actuators: Sequence[MjcfActuator]
    frames: Mapping[str, MjcfFrame]
    keyframes: Mapping[str, Keyframe] = field(default_factory=dict)

    def state(self, qpos: ArrayLike, qvel: ArrayLike | None = None, *, t: float = 0.0) -> State:
        """Return the state of the model at coordinates of MuJoCo.

        Parameters
        ----------
        qpos
            Coordinates ``(nq,)`` of MuJoCo, rad or m: 7 of a free joint (position, quaternion), 4 of a ball
            (quaternion), 1 of the others.
        qvel
            Velocities ``(nv,)`` of MuJoCo, rad/s or m/s: 6 of a free joint (linear in the world, angular in
            the body), 3 of a ball (angular in the body), 1 of the others; zero by default.
        t
            Time, s.

        Raises
        ------
        InvalidArgument
            If a shape does not fit, or a quaternion is zero.
        """
        counts = [
            sum(table[each.kind] for each in self.joints) for table in (POSITION_COUNTS, VELOCITY_COUNTS)
        ]
        positions = arguments.single_vector("qpos", qpos, counts[0])
        velocities = arguments.single_vector("qvel", np.zeros(counts[1]) if qvel is None else qvel, counts[1])
        q, qdot, poses, twists = {}, {}, {}, {}
        for joint, x, v in self._slices(positions, velocities):
            if joint.kind in ("free", "ball"):
                length = np.linalg.norm(x[-4:])
                if length < 1e-12:
                    raise InvalidArgument("qpos", f"a zero quaternion of joint {joint.name!r}", "a direction")
                R = quaternion.to_rotation(x[-4:] / length)
            if joint.kind == "free":
                poses[joint.body] = se3.frame(R, x[:3])
                twists[joint.body] = np.concatenate([v[3:], R.T @ v[:3]])
            elif joint.kind == "ball":
                q[joint.body] = so3.log(R)
                qdot[joint.body] = np.linalg.solve(so3.right_jacobian(q[joint.body]), v)
            else:
                q[joint.body], qdot[joint.body] = x, v
        return self.model.state(q=q, qdot=qdot, poses=poses, twists=twists, t=t)

    def qpos_qvel(self, state: State) -> tuple[Array, Array]:
        """Return MuJoCo's coordinates ``(nq,)``, rad or m, and velocities ``(nv,)``, rad/s or m/s.

        Parameters
        ----------
        state
            State of the model.

        Raises
        ------
        InvalidArgument
            If ``state`` does not fit the model.
        """
        self.model.check_state(state)
        free_bodies = [self.model.bodies[i].name for i in self.model.free_body_indices]
        tree_state, tree = self.model.tree_state(state), self.model.tree
        positions: list[Array] = []
        velocities: list[Array] = []
        for joint in self.joints:
            own = tree.coordinate_slices[tree.index(joint.body)]
            q, qdot = tree_state.q[own], tree_state.qdot[own]
            if joint.kind == "free":
                E, phi = (each[free_bodies.index(joint.body)] for each in (state.E, state.phi))
                positions += [E[:3, 3], quaternion.from_rotation(E[:3, :3])]
                velocities += [E[:3, :3] @ phi[3:], phi[:3]]
            elif joint.kind == "ball":
                positions.append(quaternion.from_rotation(so3.exp(q)))
                velocities.append(so3.right_jacobian(q) @ qdot)
            else:
                positions.append(q)
                velocities.append(qdot)
        return np.concatenate(positions), np.concatenate(velocities)

    def commands(self, control: ArrayLike) -> dict[str, float]:
        """Return the commands of the model's actuators, by bodies, for controls of MuJoCo.

        Controls outside their bounds are clipped, as in MuJoCo.

        Parameters
        ----------
        control
            Controls ``(k,)``, one of each actuator: force before the gear, N m or N, or target after it, rad,
            m, rad/s or m/s.

        Raises
        ------
        InvalidArgument
            If the shape does not fit.
        """
        controls = arguments.single_vector("control", control, len(self.actuators))
        result = {}
        for each, value in zip(self.actuators, controls, strict=True):
            bounded = float(np.clip(value, each.lower, each.upper))
            result[each.body] = bounded * each.gear if each.kind == "motor" else bounded / each.gear
        return result

    def _slices(self, positions: Array, velocities: Array) -> Iterator[tuple[MjcfJoint, Array, Array]]:
        x = v = 0
        for joint in self.joints:
            x_end, v_end = x + POSITION_COUNTS[joint.kind], v + VELOCITY_COUNTS[joint.kind]
            yield joint, positions[x:x_end], velocities[v:v_end]
            x, v = x_end, v_end
