"""The sweeps over all nodes, for as many states at once as there are lanes.

``work`` is the room, from ``at`` on. Lane i has state ``first + i``, or the last one beyond the end.
"""

from rbnotes.kernels._algebra import inlined, momentum, motion_down, motion_down_0, wrench_up, wrench_up_0
from rbnotes.kernels._blocks import (
    ball,
    block_acceleration,
    block_velocity,
    expanded,
    placed,
    quaternion,
    rest_of_block,
)
from rbnotes.kernels._layout import (
    ADDS,
    BALL,
    BLOCK_AT,
    BLOCK_RATES,
    CARRIES,
    COLUMNS,
    COORDINATE,
    COUNT,
    DISTANCE,
    DRIFT,
    FORCE,
    FORCES,
    GIVEN,
    GIVEN_FROM,
    GRAVITY_AT,
    HEADER,
    HINGE,
    KIND,
    MOTION,
    NODES,
    ONE,
    OWN_SLOT,
    PARENT,
    PARENT_SLOT,
    QUATERNION,
    RATE,
    REAL,
    RECORD,
    SHIFT,
    SIZE,
    SLOT,
    SPRINGS_AT,
    TURN,
    TWIST,
    WHOLE,
    U,
)
from rbnotes.kernels._lanes import accelerations, rests_of_hinges, rests_of_screws, turns, velocities
from rbnotes.kernels._memory import write6
from rbnotes.kernels._steps import acceleration, rest_of_hinge, rest_of_screw, turn, velocity

_POSE = U(12)
_BALL_COLUMNS = U(3)


@inlined
def gather(whole, numbers, h, work, to_q, to_v, to_f, q, v, f, j, first, last, n):
    """One coordinate of all lanes, its rate, and the force less those of its spring and damper."""
    k = whole[SIZE]
    spring = whole[SPRINGS_AT] + j + j + j
    stiffness, damping, rest = numbers[spring], numbers[spring + U(1)], numbers[spring + U(2)]
    for lane in range(n):
        state = first + lane
        i = (state if state < last else last) * k + j
        angle, rate = q[i], v[i]
        work[to_q + lane] = angle
        work[to_v + lane] = rate
        work[to_f + lane] = f[i] - stiffness * (angle - rest) - damping * rate


@inlined
def take_given(given, given_at, step, work, k, m, first, last, n):
    """Pose, columns and drift of a joint that was evaluated outside."""
    for lane in range(n):
        state = first + lane
        i = given_at + (state if state < last else last) * step
        b = k + lane
        for c in range(_POSE):
            work[b + n * (TURN + c)] = given[i + c]
        i += _POSE
        for c in range(TWIST * m):
            work[b + n * (COLUMNS + c)] = given[i + c]
        i += TWIST * m
        for c in range(TWIST):
            work[b + n * (DRIFT + c)] = given[i + c]


@inlined
def outwards(whole, numbers, work, at, given, given_at, step, q, v, f, first, last, reduced, n):
    """Poses and motions of all nodes, from the world on; forces on their coordinates."""
    for lane in range(n):
        write6(work, at + n * MOTION + lane, n, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for i in range(ONE, whole[NODES]):
        h = HEADER + i * WHOLE
        r = i * REAL
        kind = whole[h + KIND]
        o = at + i * RECORD * n
        p = at + whole[h + PARENT] * RECORD * n
        j = whole[h + COORDINATE]
        if kind <= SHIFT:
            if kind == SHIFT:
                for lane in range(n):
                    work[o + n * RATE + lane] = 0.0
                    work[o + n * FORCE + lane] = 0.0
                    work[o + n * DISTANCE + lane] = 0.0
            else:
                to_q, to_v, to_f = o + n * DISTANCE, o + n * RATE, o + n * FORCE
                gather(whole, numbers, h, work, to_q, to_v, to_f, q, v, f, j, first, last, n)
            if n == ONE:
                turn(kind, work, o, numbers, r, n)
                velocity(work, o, work, p, numbers, r, n)
            else:
                own = work[o : o + RECORD * n]
                turns(kind, own, numbers, r)
                velocities(own, work[p : p + RECORD * n], numbers, r)
        else:
            k = at + whole[h + BLOCK_AT] * n
            m = whole[h + COUNT]
            for c in range(m):
                to_q, to_v, to_f = k + n * (TURN + c), k + n * (BLOCK_RATES + c), k + n * (FORCES + c)
                gather(whole, numbers, h, work, to_q, to_v, to_f, q, v, f, j + c, first, last, n)
            if kind == BALL:
                ball(work, k, n)
            elif kind == QUATERNION:
                quaternion(work, k, reduced, n)
                m = _BALL_COLUMNS if reduced else m
            else:
                g = given_at + whole[h + GIVEN_FROM]
                take_given(given, g, step, work, k, m, first, last, n)
            placed(work, k, numbers, r, n)
            block_velocity(work, o, p, k, m, n)


@inlined
def forward(whole, numbers, work, at, given, given_at, step, q, v, f, out, first, last, n):
    """Accelerations of all coordinates by the articulated-body algorithm (Sueda 2.10, Algorithm 6)."""
    outwards(whole, numbers, work, at, given, given_at, step, q, v, f, first, last, True, n)
    nodes = whole[NODES]
    for back in range(ONE, nodes):
        i = nodes - back
        h = HEADER + i * WHOLE
        r = i * REAL
        kind = whole[h + KIND]
        o = at + i * RECORD * n
        x = at + whole[h + OWN_SLOT] * n
        y = at + whole[h + PARENT_SLOT] * n
        adds, carries = whole[h + ADDS] > 0, whole[h + CARRIES] > 0
        if kind == HINGE:
            if n == ONE:
                rest_of_hinge(work, o, work, x, work, y, adds, carries, numbers, r, n)
            else:
                own, mine, theirs = work[o : o + RECORD * n], work[x : x + SLOT * n], work[y : y + SLOT * n]
                rests_of_hinges(own, mine, theirs, adds, carries, numbers, r)
        elif kind <= SHIFT:
            if n == ONE:
                rest_of_screw(kind, work, o, work, x, work, y, adds, carries, numbers, r, n)
            else:
                own, mine, theirs = work[o : o + RECORD * n], work[x : x + SLOT * n], work[y : y + SLOT * n]
                rests_of_screws(kind, own, mine, theirs, adds, carries, numbers, r)
        else:
            k = at + whole[h + BLOCK_AT] * n
            m = _BALL_COLUMNS if kind == QUATERNION else whole[h + COUNT]
            rest_of_block(work, o, x, y, k, m, adds, carries, numbers, r, n)
    # The world falls upwards: weights need no other mention.
    g = whole[GRAVITY_AT]
    for lane in range(n):
        g0, g1, g2 = -numbers[g], -numbers[g + U(1)], -numbers[g + U(2)]
        write6(work, at + n * MOTION + lane, n, 0.0, 0.0, 0.0, g0, g1, g2)
    for i in range(ONE, nodes):
        h = HEADER + i * WHOLE
        kind = whole[h + KIND]
        o = at + i * RECORD * n
        p = at + whole[h + PARENT] * RECORD * n
        if kind <= SHIFT:
            if n == ONE:
                acceleration(work, o, work, p, numbers, i * REAL, n, MOTION)
            else:
                accelerations(work[o : o + RECORD * n], work[p : p + RECORD * n], numbers, i * REAL)
            if kind != SHIFT:
                scatter(whole, work, o + n * RATE, out, whole[h + COORDINATE], first, last, n)
        else:
            k = at + whole[h + BLOCK_AT] * n
            m = _BALL_COLUMNS if kind == QUATERNION else whole[h + COUNT]
            block_acceleration(work, o, p, k, m, n, MOTION)
            if kind == QUATERNION:
                expanded(work, k, n)
            for c in range(whole[h + COUNT]):
                j = whole[h + COORDINATE] + c
                scatter(whole, work, k + n * (BLOCK_RATES + c), out, j, first, last, n)


@inlined
def scatter(whole, work, source, out, j, first, last, n):
    """One coordinate's result of all lanes."""
    for lane in range(n):
        state = first + lane
        out[(state if state < last else last) * whole[SIZE] + j] = work[source + lane]
