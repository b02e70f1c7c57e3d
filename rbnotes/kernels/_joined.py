"""Joints between bodies: errors, rows, and the systems for their impulses.

Bodies move by velocities ``(6,)``: the spin in the body's own frame, and the velocity of its centre of mass
in the world. The world is the last body; it has no velocity, and nothing moves it. A row has two blocks, one
for each body; all joints are of kinds whose rows do not turn (:mod:`rbnotes.maximal.placement`).
"""

import math
from collections import namedtuple

from rbnotes.kernels._distance import bare, column, cross, dot, less, plus, times
from rbnotes.kernels._flight import applied, applied_back
from rbnotes.kernels._tables import ABOUT_AXIS, FREELY

Bodies = namedtuple("Bodies", "mass J lightness J_inverse com")
"""Masses ``(n,)``, inertias about the centres of mass ``(n, 3, 3)``, their inverses and the world's, which
are zero; and the centres in the bodies' frames ``(n, 3)``."""

Joints = namedtuple(
    "Joints",
    "body parent begin turns axis rows frame place parent_frame parent_place couples body_of first at",
)
"""Of each joint its bodies, its first row (and behind them the number of rows), the rotations that it leaves
(:data:`~rbnotes.kernels._tables.TURNS`) and their axis; rows ``(m, 6)`` in the joint's frame; both frames and
their origins, seen from the centres of mass; pairs of joints ``(p, 4)`` that share a body, which counts as
the first or the second one of each; of each row its bodies ``(m, 2)``; and the envelope of their system."""


@bare
def origins(joints, R, x, i):
    """Where joint i has its origin, from the centres of body and parent; and the parent its own one."""
    b, p = joints.body[i], joints.parent[i]
    arm = applied(R[b], joints.place[i])
    own = plus((x[b, 0], x[b, 1], x[b, 2]), 1.0, arm)
    centre = (x[p, 0], x[p, 1], x[p, 2])
    return arm, less(own, centre), applied(R[p], joints.parent_place[i])


@bare
def errors(joints, R, x, out):
    """Writes by how much the joints are apart; false where that is by a quarter turn or more."""
    for i in range(len(joints.body)):
        b, p = joints.body[i], joints.parent[i]
        _, from_parent, place = origins(joints, R, x, i)
        # Axes of the body's joint frame, and the place of its origin, in the joint frame of the parent.
        F, P = joints.frame[i], joints.parent_frame[i]
        turn0 = applied_back(P, applied_back(R[p], applied(R[b], column(F, 0))))
        turn1 = applied_back(P, applied_back(R[p], applied(R[b], column(F, 1))))
        turn2 = applied_back(P, applied_back(R[p], applied(R[b], column(F, 2))))
        away = applied_back(P, applied_back(R[p], less(from_parent, place)))
        twice = (turn1[2] - turn2[1], turn2[0] - turn0[2], turn0[1] - turn1[0])  # of the axis, by the sine
        if joints.turns[i] == FREELY:
            away = (dot(turn0, away), dot(turn1, away), dot(turn2, away))
            turn = (0.0, 0.0, 0.0)
        else:
            if joints.turns[i] == ABOUT_AXIS:
                # The nearest rotation about the axis, taken back.
                a = (joints.axis[i, 0], joints.axis[i, 1], joints.axis[i, 2])
                turned_axis = plus(plus(times(a[0], turn0), a[1], turn1), a[2], turn2)
                sine = dot(a, twice)
                cosine = turn0[0] + turn1[1] + turn2[2] - dot(a, turned_axis)
                size = math.sqrt(sine * sine + cosine * cosine)
                if not size > 0:
                    return False
                sine, cosine = -sine / size, cosine / size
                turn0 = about(a, cosine, sine, turn0)
                turn1 = about(a, cosine, sine, turn1)
                turn2 = about(a, cosine, sine, turn2)
                away = about(a, cosine, sine, away)
                twice = (turn1[2] - turn2[1], turn2[0] - turn0[2], turn0[1] - turn1[0])
            trace = turn0[0] + turn1[1] + turn2[2]
            if not trace > 1:
                return False
            # The rotation vector, from the quaternion.
            scalar = math.sqrt(1 + trace) / 2
            half = times(1 / (4 * scalar), twice)
            sine = math.sqrt(dot(half, half))
            turn = times(2 * math.atan2(sine, scalar) / sine if sine > 0 else 2.0, half)
        for r in range(joints.begin[i], joints.begin[i + 1]):
            row = joints.rows[r]
            out[r] = dot(row, turn) + row[3] * away[0] + row[4] * away[1] + row[5] * away[2]
    return True


@bare
def about(a, cosine, sine, x):
    """A vector turned about an axis."""
    return plus(plus(times(cosine, x), sine, cross(a, x)), (1 - cosine) * dot(a, x), a)


@bare
def rows_at(joints, R, x, G):
    """Writes the rows ``(m, 2, 6)``: times the velocity of the body, and times that of the parent."""
    for i in range(len(joints.body)):
        b, p = joints.body[i], joints.parent[i]
        _, from_parent, _ = origins(joints, R, x, i)
        s = (joints.place[i, 0], joints.place[i, 1], joints.place[i, 2])
        for r in range(joints.begin[i], joints.begin[i + 1]):
            row = joints.rows[r]
            moment = applied(joints.frame[i], row)
            force = applied(joints.frame[i], (row[3], row[4], row[5]))
            written(G, r, 0, plus(moment, 1.0, cross(s, force)), 1.0, applied(R[b], force))
            force = applied(R[b], force)
            moment = plus(applied(R[b], moment), 1.0, cross(from_parent, force))
            written(G, r, 1, times(-1.0, applied_back(R[p], moment)), -1.0, force)


@bare
def written(G, r, side, moment, sign, force):
    """Writes one block of a row."""
    G[r, side, 0], G[r, side, 1], G[r, side, 2] = moment
    G[r, side, 3], G[r, side, 4], G[r, side, 5] = sign * force[0], sign * force[1], sign * force[2]


@bare
def responses(bodies, body_of, rows, out):
    """Writes what impulses along rows ``(m, 2, 6)`` change of the velocities; of each row its two bodies."""
    for r in range(len(rows)):
        for side in range(2):
            b, row = body_of[r, side], rows[r, side]
            turning = applied(bodies.J_inverse[b], row)
            for k in range(3):
                out[r, side, k] = turning[k]
                out[r, side, 3 + k] = bodies.lightness[b] * row[3 + k]


@bare
def six(x, y):
    """The product of two blocks."""
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3] + x[4] * y[4] + x[5] * y[5]


@bare
def speeds_along(rows, body_of, v, out):
    """Writes velocities along rows ``(m, 2, 6)``."""
    for r in range(len(rows)):
        out[r] = six(rows[r, 0], v[body_of[r, 0]]) + six(rows[r, 1], v[body_of[r, 1]])


@bare
def pushed(moves, body_of, impulses, v):
    """Adds to velocities what impulses along rows change."""
    for r in range(len(moves)):
        for side in range(2):
            b = body_of[r, side]
            for k in range(6):
                v[b, k] += impulses[r] * moves[r, side, k]


@bare
def system(joints, G, moves, S):
    """Writes ``G M^-1 G^T`` within its envelope."""
    for r in range(len(S)):
        S[r] = 0.0
    for n in range(len(joints.couples)):
        i, j, side, other = joints.couples[n]
        for r in range(joints.begin[i], joints.begin[i + 1]):
            for c in range(joints.begin[j], min(joints.begin[j + 1], r + 1)):
                S[joints.at[r] + c] += six(G[r, side], moves[c, other])


@bare
def slope(joints, G, moves, D, h, moved, lower, upper):
    """Writes how errors at the end of the flight change with impulses at its start, within the envelope.

    G are the rows at the end; ``moves`` the responses at the start, which displace bodies by D; ``moved``, as
    large as those, is room.
    """
    for r in range(len(lower)):
        lower[r], upper[r] = 0.0, 0.0
    for r in range(len(moves)):
        for side in range(2):
            farther = applied(D[joints.body_of[r, side]], moves[r, side])
            for k in range(3):
                moved[r, side, k] = farther[k]
                moved[r, side, 3 + k] = h * moves[r, side, 3 + k]
    for n in range(len(joints.couples)):
        i, j, side, other = joints.couples[n]
        for r in range(joints.begin[i], joints.begin[i + 1]):
            for c in range(joints.begin[j], joints.begin[j + 1]):
                if c < r:
                    lower[joints.at[r] + c] += six(G[r, side], moved[c, other])
                    if i != j:
                        upper[joints.at[r] + c] += six(G[c, other], moved[r, side])
                else:
                    upper[joints.at[c] + r] += six(G[r, side], moved[c, other])


@bare
def rates(bodies, joints, R, x, v, out):
    """Writes how the velocities along the rows change while the bodies move freely."""
    for i in range(len(joints.body)):
        b, p = joints.body[i], joints.parent[i]
        arm, from_parent, _ = origins(joints, R, x, i)
        spin, faster = spinning(bodies, R, v, b)
        spin_p, faster_p = spinning(bodies, R, v, p)
        u, u_p = (v[b, 3], v[b, 4], v[b, 5]), (v[p, 3], v[p, 4], v[p, 5])
        way = plus(u, 1.0, cross(spin, arm))  # of the body's joint frame
        turning = less(less(faster, faster_p), cross(spin, less(spin, spin_p)))
        moving = less(way, plus(u_p, 1.0, cross(spin_p, from_parent)))
        change = plus(cross(faster, arm), 1.0, cross(spin, cross(spin, arm)))
        change = less(change, plus(cross(faster_p, from_parent), 1.0, cross(spin_p, less(way, u_p))))
        change = less(change, cross(spin, moving))
        F = joints.frame[i]
        turning = applied_back(F, applied_back(R[b], turning))
        change = applied_back(F, applied_back(R[b], change))
        for r in range(joints.begin[i], joints.begin[i + 1]):
            row = joints.rows[r]
            out[r] = dot(row, turning) + row[3] * change[0] + row[4] * change[1] + row[5] * change[2]


@bare
def spinning(bodies, R, v, b):
    """Angular velocity of a body in the world, and its rate if nothing pushes."""
    w = (v[b, 0], v[b, 1], v[b, 2])
    if b == len(bodies.mass):
        return w, w
    faster = applied(bodies.J_inverse[b], cross(applied(bodies.J[b], w), w))
    return applied(R[b], w), applied(R[b], faster)
