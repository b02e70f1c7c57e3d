"""The same trees in other codes, and calls of their forward dynamics: Pinocchio, MuJoCo, CasADi."""

from __future__ import annotations

from collections.abc import Callable

import casadi
import mujoco
import numpy as np
import pinocchio

from rbnotes import inertia, joints, se3
from rbnotes.multibody.formats import to_mjcf
from rbnotes.multibody.reduced import Link, Tree


def pinocchio_model(tree: Tree) -> tuple[pinocchio.Model, np.ndarray]:
    """Return the tree in Pinocchio's depth-first order, and the link of each of its joints."""
    model = pinocchio.Model()
    model.gravity.linear = np.asarray(tree.gravity)
    order: list[int] = []

    def add(i: int, parent: int) -> None:
        link = tree.links[i]
        where = pinocchio.SE3(link.placement[:3, :3], link.placement[:3, 3])
        number = model.addJoint(parent, pinocchio.JointModelRZ(), where, link.name)
        if link.inertia is not None:
            mass, J, com = inertia.from_spatial_inertia(link.inertia)
            at = pinocchio.SE3(link.body_frame[:3, :3], link.body_frame[:3, 3])
            model.appendBodyToJoint(number, pinocchio.Inertia(float(mass), com, J), at)
        order.append(i)
        for child in tree.children[i]:
            add(child, number)

    for i, parent in enumerate(tree.parents):
        if parent < 0:
            add(i, 0)
    return model, np.array(order)


def expand_to_revolute(tree: Tree) -> tuple[Tree, np.ndarray]:
    """Return the tree with a revolute joint about axis 2 for each coordinate, and the order of coordinates.

    Universal joints and pairs of tori become chains of revolute joints, one exponential after the other.
    Their screws are the columns of S at zero coordinates, in the frame there. On the second torus the
    rotation about the tube (q[3]) comes before the rotation about the axis (q[2]).
    """
    links: list[Link] = []
    coordinate_order: list[int] = []
    # Frame of the original joint in the frame of the last revolute joint of its chain.
    frame_after: dict[str | None, np.ndarray] = {None: np.eye(4)}
    for link, columns in zip(tree.links, tree.coordinate_slices, strict=True):
        neutral = np.zeros(link.joint.num_coordinates)
        row = (0, 1, 3, 2)[: len(neutral)]
        coordinate_order += [columns.start + i for i in row]
        neutral_pose = link.joint.transform(neutral)
        screws = (se3.Ad(neutral_pose) @ link.joint.motion_subspace(neutral)).T[list(row)]
        parent, placement, previous_frame = link.parent, frame_after[link.parent] @ link.placement, np.eye(4)
        for i, screw in enumerate(screws):
            axis = screw[:3] / np.linalg.norm(screw[:3])
            across = np.linalg.svd(axis[None])[2][1]
            frame = se3.frame(
                np.stack([across, np.cross(axis, across), axis], axis=1), np.cross(axis, screw[3:])
            )
            last = i + 1 == len(screws)
            name = link.name if last else f"{link.name}, {i}"
            frame_after[name] = se3.inverse(frame) @ neutral_pose
            carried = (link.inertia, frame_after[name] @ link.body_frame) if last else (None, None)
            where = placement @ se3.inverse(previous_frame) @ frame
            links.append(Link(name, joints.Revolute(), carried[0], parent, where, carried[1]))
            parent, placement, previous_frame = name, np.eye(4), frame
    return Tree(links, tree.gravity), np.array(coordinate_order)


def inverse_mass_product(
    model: pinocchio.Model, data: pinocchio.Data, q: np.ndarray, x: np.ndarray
) -> np.ndarray:
    return pinocchio.computeMinverse(model, data, q) @ x


def mujoco_call(tree: Tree, q: np.ndarray, v: np.ndarray, x: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a call of MuJoCo's forward dynamics at the same state, without contacts and sensors."""
    model = mujoco.MjModel.from_xml_string(to_mjcf(tree))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_SENSOR
    data = mujoco.MjData(model)

    def call() -> np.ndarray:
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, x
        mujoco.mj_forward(model, data)
        return data.qacc

    return call


def casadi_call(tree: Tree, q: np.ndarray, v: np.ndarray, x: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a call of the articulated-body algorithm as a CasADi graph, run by its virtual machine."""
    SX, n = casadi.SX, len(tree.links)
    angles, rates, forces = (SX.sym(name, n) for name in ("q", "v", "x"))
    world = SX.zeros(6)
    world[3:] = -np.asarray(tree.gravity)
    S, to_joint, parent_transforms = np.eye(6)[2], [], []
    twists, drifts, inertias, wrenches = [], [], [], []
    for i, (link, parent) in enumerate(zip(tree.links, tree.parents, strict=True)):
        c, s = casadi.cos(angles[i]), casadi.sin(angles[i])
        rotation = casadi.vertcat(casadi.horzcat(c, s, 0), casadi.horzcat(-s, c, 0), SX([[0, 0, 1]]))
        R, p = link.placement[:3, :3], link.placement[:3, 3]
        E = rotation @ R.T
        parent_transforms.append(casadi.blockcat([[E, SX(3, 3)], [-E @ casadi.skew(SX(p)), E]]))
        twist = S * rates[i] + (parent_transforms[i] @ twists[parent] if parent >= 0 else 0)
        to_joint.append(se3.Ad_inverse(link.body_frame))
        M = casadi.sparsify(SX(to_joint[i].T @ link.inertia @ to_joint[i]))
        twists.append(twist)
        drifts.append(motion_cross_matrix(twist) @ S * rates[i])
        inertias.append(M)
        wrenches.append(-motion_cross_matrix(twist).T @ (M @ twist))
    joint_results = []
    for i in reversed(range(n)):
        U = inertias[i] @ S
        gain, force = U / U[2], forces[i] - wrenches[i][2]
        joint_results.append((gain, force / U[2]))
        parent = tree.parents[i]
        if parent >= 0:
            reduced_inertia = symmetric_from_upper(inertias[i] - gain @ U.T)
            inertias[parent] = inertias[parent] + symmetric_from_upper(
                parent_transforms[i].T @ reduced_inertia @ parent_transforms[i]
            )
            parent_wrench = wrenches[i] + reduced_inertia @ drifts[i] + gain * force
            wrenches[parent] = wrenches[parent] + parent_transforms[i].T @ parent_wrench
    accelerations, body_accelerations = [], []
    for i, (gain, free_acceleration) in enumerate(reversed(joint_results)):
        parent = tree.parents[i]
        body_acceleration = (
            parent_transforms[i] @ (body_accelerations[parent] if parent >= 0 else world) + drifts[i]
        )
        accelerations.append(free_acceleration - casadi.dot(gain, body_acceleration))
        body_accelerations.append(body_acceleration + S * accelerations[i])
    function = casadi.Function(
        "aba", [angles, rates, forces], [casadi.densify(casadi.vertcat(*accelerations))]
    )
    buffer, evaluate = function.buffer()
    inputs, out = [np.array(each) for each in (q, v, x)], np.empty(n)
    for i, each in enumerate(inputs):
        buffer.set_arg(i, memoryview(each))
    buffer.set_res(0, memoryview(out))

    def call(_: object = (function, buffer, inputs)) -> np.ndarray:  # which keep only addresses
        evaluate()
        return out

    return call


def symmetric_from_upper(matrix: casadi.SX) -> casadi.SX:
    """Return the symmetric matrix of an upper triangle; the graph omits what only the lower one needs."""
    return casadi.triu2symm(casadi.triu(matrix))


def motion_cross_matrix(twist: casadi.SX) -> casadi.SX:
    """Return ``ad(twist)``."""
    w, u = casadi.skew(twist[:3]), casadi.skew(twist[3:])
    return casadi.blockcat([[w, casadi.SX(3, 3)], [u, w]])
