"""Sueda 2: reduced coordinates. The oracles differ poses of whole trees, or ask Newton what their points do."""

from __future__ import annotations

import numpy as np

from rbnotes.dynamics import Forces, FreeSystem, State, integrate, symplectic_euler
from rbnotes.inertia import spatial_inertia
from rbnotes.ledger.claims.sueda.section_2_trees import (
    ACCELERATED,
    ANY_SIZE,
    CHAPTER,
    HINGED,
    MOVING,
    ON_HINGES,
    PLACED,
    hinges_of,
    tree_of,
)
from rbnotes.ledger.joint_quantities import accelerations, forces
from rbnotes.ledger.oracles import body_trees
from rbnotes.ledger.oracles.bodies import bracket, kinetic_energy_matrix
from rbnotes.ledger.oracles.body_quantities import gravity_wrench
from rbnotes.ledger.oracles.constrained_systems import energy_matrix
from rbnotes.ledger.oracles.point_mass_dynamics import acceleration
from rbnotes.ledger.quantities import LENGTH, NUMBER, TIME, TWIST, vector_quantity
from rbnotes.ledger.record import Verdict, claim
from rbnotes.multibody import maximal, reduced
from rbnotes.testing.strategies import arrays, numbers, positive_numbers


def maximal_masses(assembly):
    """``M_m``: the mass matrices of all bodies along the diagonal."""
    n = len(assembly.parents)
    M = np.zeros((6 * n, 6 * n))
    for i in range(n):
        own = slice(6 * i, 6 * i + 6)
        M[own, own] = kinetic_energy_matrix(assembly.masses[i], assembly.inertias[i], assembly.centers[i])
    return M


@claim("sueda/s2/t692", "Bodies on hinges, counted in maximal and in reduced coordinates")
class t692:
    formula = r"6n \text{ degrees of freedom and } 5n \text{ constraints, against } n \text{ and none}"
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = NUMBER

    def printed(assembly, angle):
        n = len(assembly.parents)
        return [6 * n, 5 * n, n, 0]

    def library(assembly, angle):
        hinged = tree_of(assembly)
        q = np.full(hinged.num_coordinates, angle)
        G = maximal.constraint_jacobian(hinges_of(assembly), reduced.poses(hinged, q).bodies)
        own = reduced.TreeSystem(hinged).coordinate_constraint_rows(
            State(q=q, qdot=np.zeros(hinged.num_coordinates))
        )
        return [G.shape[1], G.shape[0], hinged.num_coordinates, len(own.rows)]

    oracle = "ranks of what poses do as coordinates change, by complex steps"

    def reference(assembly, angle):
        """All twists there could be, those that the joints forbid, those they allow, and idle coordinates."""
        J = body_trees.jacobian(assembly, np.full(assembly.num_coordinates, angle))
        allowed = np.linalg.matrix_rank(J)
        return [len(J), len(J) - allowed, allowed, J.shape[1] - allowed]

    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.TreeSystem", "rbnotes.multibody.maximal.constraint_jacobian")
    chapter = CHAPTER


@claim("sueda/s2/t696", "Inverse dynamics multiplies by M, forward dynamics solves with it")
class t696:
    formula = r"f = M\ddot q: \quad f \text{ given } \ddot q,\quad \ddot q = M^{-1}f \text{ given } f"
    inputs = {**PLACED, "qddot": arrays(7), "f": arrays(7)}
    quantities = {"f": forces}

    def result(values):
        return forces(values) + accelerations(values)

    def printed(assembly, q, qddot, f):
        weighed = body_trees.mass_weighted_jacobian(assembly, q)
        M = energy_matrix(np.eye(72), lambda v: weighed @ v, 7)
        return np.concatenate([M @ qddot, np.linalg.inv(M) @ f])

    def library(assembly, q, qddot, f):
        """At rest, with f on top of what holds the weight."""
        mechanism, still = tree_of(assembly), np.zeros(7)
        held = reduced.inverse_dynamics_dense(mechanism, q, still, still)
        needed = reduced.inverse_dynamics_dense(mechanism, q, still, qddot)
        return np.concatenate([needed - held, reduced.forward_dynamics_dense(mechanism, q, still, held + f)])

    oracle = "d'Alembert's and Gauss's principles for the point masses of the bodies"

    def reference(assembly, q, qddot, f):
        still = np.zeros(7)
        held = -body_trees.gravity_forces(assembly, q)
        needed = body_trees.inertial_forces(assembly, q, still, qddot)
        return np.concatenate([needed, body_trees.accelerations(assembly, q, still, held + f)])

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = "f is all there is: weights, applied forces, and the terms that are quadratic in the velocities."
    implemented_by = (
        "rbnotes.multibody.reduced.inverse_dynamics_dense",
        "rbnotes.multibody.reduced.forward_dynamics_dense",
    )
    chapter = CHAPTER


def leaves_first(n):
    """Each body and then the joint that carries it, the last body first; joints are numbered from n on."""
    return [part for body in reversed(range(n)) for part in (body, n + body)]


def blocks_of_factor(K, sizes):
    """How many blocks of the factor L are not zero, the diagonal's among them, when K is eliminated in order."""
    places = [slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes), strict=True)]
    left, count = K.copy(), 0
    for i, own in enumerate(places):
        count += sum(np.abs(left[below, own]).max() > 1e-9 for below in places[i:])
        rest = slice(own.stop, None)
        left[rest, rest] -= left[rest, own] @ np.linalg.solve(left[own, own], left[own, rest])
    return count


@claim("sueda/s2/t698#a", "The KKT matrix of a tree is factored in linear time")
class t698_a:
    formula = r"4n - r \text{ blocks in the factor of } \begin{pmatrix} M & G^\top \\ G & 0 \end{pmatrix}"
    inputs = {"assembly": ANY_SIZE, "angle": numbers()}
    result = NUMBER

    def printed(assembly, angle):
        """Linear in n: a block for each body, joint, and end of a joint that is not in the world."""
        return 4 * len(assembly.parents) - assembly.parents.count(-1)

    def library(assembly, angle):
        """Eliminated leaves first."""
        hinged, n = tree_of(assembly), len(assembly.parents)
        G = maximal.constraint_jacobian(
            hinges_of(assembly), reduced.poses(hinged, np.full(n, angle)).bodies
        ).toarray()
        K = np.block([[maximal_masses(assembly), G.T], [G, np.zeros((5 * n, 5 * n))]])
        parts = [slice(6 * i, 6 * i + 6) for i in range(n)]
        parts += [slice(6 * n + 5 * i, 6 * n + 5 * i + 5) for i in range(n)]
        order = leaves_first(n)
        rows = np.concatenate([np.arange(11 * n)[parts[part]] for part in order])
        sizes = [parts[part].stop - parts[part].start for part in order]
        return blocks_of_factor(K[np.ix_(rows, rows)], sizes)

    oracle = "the elimination game on the graph of bodies and joints, leaves first"

    def reference(assembly, angle):
        """A part that is eliminated links all its neighbours that are left; each link is a block."""
        n = len(assembly.parents)
        near = {part: set() for part in range(2 * n)}
        for body, parent in enumerate(assembly.parents):
            for end in {body, parent} - {-1}:
                near[end].add(n + body)
                near[n + body].add(end)
        blocks = 0
        for body in reversed(range(n)):
            for part in (body, n + body):
                others = near.pop(part)
                blocks += 1 + len(others)
                for other in others:
                    near[other] = near[other] | others - {other, part}
                    near[other].discard(part)
        return blocks

    verdict = Verdict.HOLDS
    remark = (
        r"$r$ is the number of bodies that hang in the world. No block of the factor is filled in that was "
        r"zero before, if there are no loops and each body is eliminated before the joint that carries it, "
        r"the leaves first: each joint then has one neighbour left, its parent."
    )
    implemented_by = ("rbnotes.multibody.maximal.constraint_jacobian",)
    chapter = CHAPTER


@claim(
    "sueda/s2/t698#b", "Reduced coordinates do not drift: after steps, the two halves of a joint still meet"
)
class t698_b:
    formula = r"\text{lack of constraint drift}"
    inputs = {**ON_HINGES, "h": positive_numbers(0.03125, 0.25)}
    result = vector_quantity((NUMBER, 1), (LENGTH, 1))

    def printed(assembly, q, qdot, h):
        """Where the parents' halves of the joints are: so says the claim."""
        q = three_steps(assembly, q, qdot, h)
        E = body_trees.poses(assembly, q)
        halves = []
        for i, parent in enumerate(assembly.parents):
            rest, now = (np.eye(4), np.eye(4)) if parent < 0 else (assembly.bodies[parent], E[parent])
            halves.append((now @ np.linalg.inv(rest) @ assembly.joints[i])[:3, 2:])
        return np.stack(halves)

    def library(assembly, q, qdot, h):
        """Where the bodies' own halves are."""
        mechanism = reduced.TreeSystem(tree_of(assembly))
        q = integrate(symplectic_euler, mechanism, State(q=q, qdot=qdot), h, 3).q[-1]
        E = reduced.poses(mechanism.tree, q).bodies
        return (E @ np.linalg.inv(assembly.bodies) @ assembly.joints)[:, :3, 2:]

    oracle = (
        "poses from rotations about the axes of the world, at coordinates after steps by Gauss's principle"
    )

    def reference(assembly, q, qdot, h):
        return body_trees.joint_poses(assembly, three_steps(assembly, q, qdot, h))[:, :3, 2:]

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = "What is compared are the axis and the origin of each joint, with steps so large that q itself is far off."
    primitives = ("rbnotes.ledger.claims.sueda.section_2.three_steps",)
    implemented_by = ("rbnotes.dynamics.symplectic_euler",)
    chapter = CHAPTER


def three_steps(assembly, q, qdot, h):
    """Coordinates after three steps that move with the new velocities."""
    for _ in range(3):
        qdot = qdot + h * body_trees.accelerations(assembly, q, qdot, np.zeros(len(q)))
        q = q + h * qdot
    return q


@claim("sueda/s2/e2.1", "Velocities of all bodies are linear in those of the joints")
class e2_1:
    formula = r"\dot{\mathbf q}_m = J_{mr}\dot{\mathbf q}_r"
    inputs = MOVING
    result = TWIST

    def printed(assembly, q, qdot):
        J_mr = body_trees.jacobian(assembly, q)
        return J_mr @ qdot

    def library(assembly, q, qdot):
        return reduced.jacobian(tree_of(assembly), q) @ qdot

    oracle = "differences of all poses along the motion"

    def reference(assembly, q, qdot):
        return body_trees.twists(assembly, q, qdot).ravel()

    verdict = Verdict.HOLDS
    remark = (
        r"$\dot{\mathbf q}_m$ is the stack of the bodies' twists: no rate of some coordinates "
        r"$\mathbf q_m$, which are poses."
    )
    implemented_by = ("rbnotes.multibody.reduced.jacobian",)
    chapter = CHAPTER


@claim("sueda/s2/e2.2", "Accelerations of all bodies from those of the joints")
class e2_2:
    formula = r"\ddot{\mathbf q}_m = J_{mr}\ddot{\mathbf q}_r + \dot J_{mr}\dot{\mathbf q}_r"
    inputs = ACCELERATED
    result = TWIST / TIME

    def printed(assembly, q, qdot, qddot):
        J_mr = body_trees.jacobian(assembly, q)
        J_mr_dot = body_trees.jacobian_rate(assembly, q, qdot)
        return J_mr @ qddot + J_mr_dot @ qdot

    def library(assembly, q, qdot, qddot):
        at = reduced.body_kinematics(tree_of(assembly), q, qdot)
        return (at.J @ qddot + at.bias_acceleration).ravel()

    oracle = "differences of twists along a motion with these accelerations"

    def reference(assembly, q, qdot, qddot):
        return body_trees.twist_rates(assembly, q, qdot, qddot).ravel()

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    implemented_by = ("rbnotes.multibody.reduced.body_kinematics",)
    chapter = CHAPTER


@claim("sueda/s2/t704", "The equations of all bodies in matrix form, with Coriolis forces among the forces")
class t704:
    formula = r"M_m\ddot{\mathbf q}_m = \mathbf f_m,\quad \text{with } 6n \text{ degrees of freedom}"
    inputs = {"assembly": HINGED, "phi": arrays(4, 6), "wrenches": arrays(4, 6)}
    result = TWIST / TIME

    def printed(assembly, phi, wrenches):
        """Bodies that no joint holds."""
        M_m = maximal_masses(assembly)
        f_m = np.concatenate(
            [
                coriolis(M_m[6 * i : 6 * i + 6, 6 * i : 6 * i + 6], phi[i])
                + gravity_wrench(assembly, i, assembly.bodies[i])
                + wrenches[i]
                for i in range(4)
            ]
        )
        return np.linalg.inv(M_m) @ f_m

    def library(assembly, phi, wrenches):
        bodies = zip(assembly.masses, assembly.inertias, assembly.centers, strict=True)
        M = np.stack([spatial_inertia(m, J, c) for m, J, c in bodies])
        push = Forces.without_derivatives(wrenches)
        free = FreeSystem(M, gravity=assembly.gravity, applied_forces=lambda state: push)
        return free.acceleration(State(assembly.bodies, phi))

    oracle = "accelerations with which six point masses of each body need these wrenches and their weights"

    def reference(assembly, phi, wrenches):
        found = []
        for i, (m, c, J) in enumerate(zip(assembly.masses, assembly.centers, assembly.inertias, strict=True)):
            pull = assembly.bodies[i, :3, :3].T @ (m * assembly.gravity)
            load = wrenches[i] + np.concatenate([np.cross(c, pull), pull])
            found.append(acceleration(m, c, J, phi[i], load))
        return np.concatenate(found)

    tolerance = 1e-8
    verdict = Verdict.HOLDS
    remark = (
        "In a system that joints hold together, 'all forces' must include those of the joints; what happens "
        "if they are left out, see (2.18)."
    )
    implemented_by = ("rbnotes.dynamics.FreeSystem",)
    chapter = CHAPTER


def coriolis(M, phi):
    """``ad(phi)^T M phi``, written out."""
    w, v = bracket(phi[:3]), bracket(phi[3:])
    ad = np.block([[w, np.zeros((3, 3))], [v, w]])
    return ad.T @ M @ phi


@claim("sueda/s2/t710", "Joints and bodies come in pairs; a root has no parent")
class t710:
    verdict = Verdict.DEFINITION
    remark = (
        r"`Link` is such a pair. A mechanism of $n$ bodies with more than $n$ joints has loops: as many as there "
        r"are joints too many, each broken at one joint, which `LoopClosure` puts back."
    )
    implemented_by = ("rbnotes.multibody.reduced.Link", "rbnotes.multibody.reduced.LoopClosure")
    chapter = CHAPTER
