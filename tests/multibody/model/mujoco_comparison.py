"""Comparison of the smooth dynamics of a model with MuJoCo, in MuJoCo's coordinates."""

from dataclasses import replace

import mujoco
import numpy as np

from rbnotes import multibody, so3

CONSTRAINTS = ("CONTACT", "CONSTRAINT", "LIMIT", "EQUALITY", "FRICTIONLOSS")


def velocity_map(mjcf, state):
    """Return T and Tdot v of MuJoCo's velocities ``T v``, from the definitions of both velocities."""
    size = state.velocity.size
    T, bias, row = np.zeros((size, size)), np.zeros(size), 0
    model, tree = mjcf.model, mjcf.model.tree
    free = [model.bodies[i].name for i in model.free_body_indices]
    tree_state = model.tree_state(state)
    joints = {index: n for n, index in enumerate(model.joint_indices)}
    for joint in mjcf.joints:
        own = tree.coordinate_slices[tree.index(joint.body)]
        if joint.kind == "free":
            body_index = free.index(joint.body)
            R, phi, column = state.E[body_index][:3, :3], state.phi[body_index], 6 * body_index
            T[row : row + 3, column + 3 : column + 6] = R
            T[row + 3 : row + 6, column : column + 3] = np.eye(3)
            bias[row : row + 3] = R @ np.cross(phi[:3], phi[3:])
            row += 6
            continue
        column, count = 6 * len(free) + joints[own.start], own.stop - own.start
        q, qdot = tree_state.q[own], tree_state.qdot[own]
        if joint.kind == "ball":
            T[row : row + 3, column : column + 3] = so3.right_jacobian(q)
            bias[row : row + 3] = so3.right_jacobian_dot(q, qdot) @ qdot
        else:
            T[row, column] = 1.0
        row += count
    return T, bias


def largest_error(mjcf, reference, rng, *, draws=3, control=None):
    """Return the largest relative error of mass matrices, bias forces and accelerations."""
    for name in CONSTRAINTS if control is not None else (*CONSTRAINTS, "ACTUATION"):
        reference.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{name}"))
    data, model, errors = mujoco.MjData(reference), replace(mjcf.model, constraints=()), [0.0]
    for _ in range(draws):
        qpos = reference.qpos0.copy()
        mujoco.mj_integratePos(reference, qpos, rng.normal(size=reference.nv), 1.0)
        data.qpos[:], data.qvel[:] = qpos, rng.normal(size=reference.nv)
        data.ctrl[:] = 0.0 if control is None else control
        mujoco.mj_forward(reference, data)
        M = np.zeros((reference.nv, reference.nv))
        mujoco.mj_fullM(reference, data, M)
        state = mjcf.state(data.qpos, data.qvel)
        T, rate = velocity_map(mjcf, state)
        tau = np.zeros(reference.nv)
        if control is not None:
            tau = multibody.actuator_forces(model, state, mjcf.commands(control))
            errors.append(relative(tau, T.T @ data.qfrc_actuator))
        errors += [
            relative(multibody.mass_matrix(model, state), T.T @ M @ T),
            relative(multibody.bias_forces(model, state), T.T @ (data.qfrc_bias + M @ rate)),
            relative(T @ multibody.forward_dynamics(model, state, tau) + rate, data.qacc),
        ]
    return max(errors)


def relative(values, expected):
    return float(
        np.max(np.abs(values - expected), initial=0.0) / max(1.0, np.max(np.abs(expected), initial=0.0))
    )
