"""Random models with free bodies and branches, and the same in Pinocchio."""

import numpy as np
import pinocchio
from random_trees import body, frame, unit

from rbnotes import joints
from rbnotes.multibody import Body, Model

TWIST = np.r_[3:6, 0:3]
"""Pinocchio stacks linear velocities before angular ones."""


def robot(seed, forces=None):
    """Return a free trunk with two branches, beside another free body."""
    rng = np.random.default_rng(seed)

    def on_joint(name, joint, parent):
        return Body(
            name, inertia=body(rng), joint=joint, parent=parent, joint_frame=frame(rng), body_frame=frame(rng)
        )

    bodies = [
        Body("trunk", inertia=body(rng), pose=frame(rng)),
        on_joint("thigh", joints.Revolute(unit(rng)), "trunk"),
        on_joint("shank", joints.Prismatic(unit(rng)), "thigh"),
        on_joint("tail", joints.Revolute(unit(rng)), "trunk"),
        Body("stone", inertia=body(rng), pose=frame(rng)),
    ]
    options = {} if forces is None else {"forces": forces}
    return Model(bodies, gravity=3 * rng.normal(size=3), **options)


def random_state(model, seed=5):
    rng = np.random.default_rng(seed)
    moving = [each.name for each in model.bodies if not each.is_free]
    return model.state(
        q={name: rng.uniform(-1, 1) for name in moving},
        qdot={name: rng.normal() for name in moving},
        poses={each.name: frame(rng) for each in model.bodies if each.is_free},
        twists={each.name: rng.normal(size=6) for each in model.bodies if each.is_free},
    )


def in_pinocchio(model, state):
    """Return the same model and state in Pinocchio, and the permutation of the velocities."""
    theirs = pinocchio.Model()
    theirs.gravity = pinocchio.Motion(np.r_[model.gravity, np.zeros(3)])
    ids, q, v, order = {}, [], [], []
    tree_order = {name: k for k, name in enumerate(n for n in (b.name for b in model.bodies))}
    free = [b.name for b in model.bodies if b.is_free]
    jointed = [b.name for b in model.bodies if not b.is_free]
    for b in model.bodies:
        link = model.tree.links[tree_order[b.name]]
        if b.is_free:
            kind, k = pinocchio.JointModelFreeFlyer(), free.index(b.name)
            pose = pinocchio.SE3(state.E[k])
            q.append(pinocchio.SE3ToXYZQUAT(pose))
            v.append(state.phi[k][TWIST])
            order.append(6 * k + TWIST)
        else:
            motion = {
                joints.Revolute: pinocchio.JointModelRevoluteUnaligned,
                joints.Prismatic: pinocchio.JointModelPrismaticUnaligned,
            }[type(b.joint)]
            kind, k = motion(np.array(b.joint.axis)), jointed.index(b.name)
            q.append([state.q[k]])
            v.append([state.qdot[k]])
            order.append([6 * len(free) + k])
        parent = ids.get(b.parent, 0)
        ids[b.name] = theirs.addJoint(parent, kind, pinocchio.SE3(link.placement), b.name)
        M = b.spatial_inertia[np.ix_(TWIST, TWIST)]
        com = np.array([M[5, 1], M[3, 2], M[4, 0]]) / M[0, 0]
        J = M[3:, 3:] + M[0, 0] * np.linalg.matrix_power(pinocchio.skew(com), 2)
        inertia = pinocchio.Inertia(M[0, 0], com, J)
        theirs.appendBodyToJoint(ids[b.name], inertia, pinocchio.SE3(link.body_frame))
    return theirs, theirs.createData(), np.concatenate(q), np.concatenate(v), np.concatenate(order), ids
