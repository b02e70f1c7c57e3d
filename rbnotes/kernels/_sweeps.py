"""The sweeps over all nodes, for as many states at once as there are lanes.

``work`` is the room, from ``at`` on. Lane i has state ``first + i``, or the last one beyond the end.
"""

from rbnotes.kernels._algebra import apart, inlined, motion_down_frame, wrench_up_frame
from rbnotes.kernels._blocks import (
    ball,
    block_acceleration,
    block_inward,
    block_load,
    block_velocity,
    expanded,
    placed,
    quaternion,
    rest_of_block,
)
from rbnotes.kernels._lanes import (
    accelerations,
    driven_many,
    inwards,
    rests_of_hinges,
    rests_of_screws,
    turns,
    velocities,
)
from rbnotes.kernels._layout import (
    ADDS,
    BALL,
    BLOCK_AT,
    BLOCK_RATES,
    BODIES,
    CARRIES,
    COLUMNS,
    COORDINATE,
    COUNT,
    DISTANCE,
    DRIFT,
    FORCE,
    FORCES,
    GAIN,
    GAINS,
    GIVEN_FROM,
    GRAVITY_AT,
    HEADER,
    HINGE,
    KIND,
    LOADS_AT,
    MOTION,
    NODES,
    ONE,
    OWN_SLOT,
    PARENT,
    PARENT_SLOT,
    PLACES_AT,
    QUATERNION,
    RATE,
    REAL,
    RECORD,
    SHIFT,
    SIZE,
    SPRINGS_AT,
    TOLD,
    TURN,
    TWIST,
    WHOLE,
    U,
)
from rbnotes.kernels._memory import add6, read3, read6, read9, write6
from rbnotes.kernels._steps import (
    acceleration,
    cleared,
    driven,
    inward,
    rest_of_hinge,
    rest_of_screw,
    rest_of_told,
    turn,
    velocity,
)

_POSE = U(12)
_POSITION = U(9)
_BALL_COLUMNS = U(3)


@inlined
def gather(whole, numbers, work, to_q, to_v, to_f, q, v, f, j, first, last, springs, n):
    """One coordinate of all lanes, its rate, and the force less those of its spring and damper."""
    k = whole[SIZE]
    spring = whole[SPRINGS_AT] + j + j + j
    stiffness, damping, rest = numbers[spring], numbers[spring + U(1)], numbers[spring + U(2)]
    if not springs:
        stiffness, damping = 0.0, 0.0
    for lane in range(n):
        state = first + lane
        i = (state if state < last else last) * k + j
        angle, rate = q[i], v[i]
        work[to_q + lane] = angle
        work[to_v + lane] = rate
        work[to_f + lane] = f[i] - stiffness * (angle - rest) - damping * rate


@apart
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
def pose(whole, numbers, work, at, given, given_at, step, q, v, f, first, last, reduced, i, n):
    """What a node needs to know of its coordinates; ``f`` are forces, if reduced, or else accelerations."""
    h = HEADER + i * WHOLE
    r = i * REAL
    kind = whole[h + KIND]
    o = at + i * RECORD * n
    j = whole[h + COORDINATE]
    if kind <= SHIFT:
        to_q, to_v, to_f = o + n * DISTANCE, o + n * RATE, o + n * FORCE
        if kind == SHIFT:
            for lane in range(n):
                work[to_q + lane] = 0.0
                work[to_v + lane] = 0.0
                work[to_f + lane] = 0.0
        else:
            gather(whole, numbers, work, to_q, to_v, to_f, q, v, f, j, first, last, reduced, n)
        if n == ONE:
            turn(kind, work, o, numbers, r, n)
        else:
            turns(kind, work, o, numbers, r)
    else:
        k = at + whole[h + BLOCK_AT] * n
        m = whole[h + COUNT]
        for c in range(m):
            to_q, to_v, to_f = k + n * (TURN + c), k + n * (BLOCK_RATES + c), k + n * (FORCES + c)
            gather(whole, numbers, work, to_q, to_v, to_f, q, v, f, j + c, first, last, reduced, n)
        if kind == BALL:
            ball(work, k, n)
        elif kind == QUATERNION:
            quaternion(work, k, reduced and not whole[h + TOLD], n)
        else:
            g = given_at + whole[h + GIVEN_FROM]
            take_given(given, g, step, work, k, m, first, last, n)
        placed(work, k, numbers, r, n)


@inlined
def columns(whole, h, reduced):
    """How many columns S has; those of a free quaternion are reduced to its angular velocity's."""
    reduced = reduced and not whole[h + TOLD] and whole[h + KIND] == QUATERNION
    return _BALL_COLUMNS if reduced else whole[h + COUNT]


@inlined
def forward(whole, numbers, work, at, given, given_at, step, q, v, f, out, first, last, n):
    """Accelerations of all coordinates by the articulated-body algorithm (Sueda 2.12, Algorithm 9).

    ``f`` are forces, and accelerations of the joints that are told theirs.
    """
    nodes = whole[NODES]
    cleared(work, at + n * MOTION, TWIST * n)
    for i in range(ONE, nodes):
        pose(whole, numbers, work, at, given, given_at, step, q, v, f, first, last, True, i, n)
        h = HEADER + i * WHOLE
        o = at + i * RECORD * n
        p = at + whole[h + PARENT] * RECORD * n
        if whole[h + KIND] <= SHIFT:
            if n == ONE:
                velocity(work, o, work, p, numbers, i * REAL, n)
            else:
                velocities(work, o, p, numbers, i * REAL)
        else:
            block_velocity(work, o, p, at + whole[h + BLOCK_AT] * n, columns(whole, h, True), n)
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
                rests_of_hinges(work, o, x, y, adds, carries, numbers, r)
        elif kind <= SHIFT:
            if whole[h + TOLD]:
                rest_of_told(work, o, x, y, adds, carries, numbers, r, n)
            elif n == ONE:
                rest_of_screw(kind, work, o, work, x, work, y, adds, carries, numbers, r, n)
            else:
                rests_of_screws(kind, work, o, x, y, adds, carries, numbers, r)
        else:
            k = at + whole[h + BLOCK_AT] * n
            told = whole[h + TOLD] > 0
            rest_of_block(work, o, x, y, k, columns(whole, h, True), told, adds, carries, numbers, r, n)
    falling(whole, numbers, work, at + n * MOTION, n)
    for i in range(ONE, nodes):
        h = HEADER + i * WHOLE
        kind = whole[h + KIND]
        o = at + i * RECORD * n
        p = at + whole[h + PARENT] * RECORD * n
        if kind <= SHIFT:
            if n == ONE:
                acceleration(work, o, work, p, numbers, i * REAL, n, MOTION)
            else:
                accelerations(work, o, p, numbers, i * REAL)
            if kind != SHIFT:
                scatter(whole, work, o + n * RATE, out, whole[h + COORDINATE], first, last, n)
        else:
            k = at + whole[h + BLOCK_AT] * n
            block_acceleration(work, o, p, k, columns(whole, h, True), n, MOTION)
            if kind == QUATERNION and not whole[h + TOLD]:
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


@inlined
def falling(whole, numbers, work, o, n):
    """The world's acceleration: it falls upwards, and weights need no other mention."""
    g = whole[GRAVITY_AT]
    for lane in range(n):
        g0, g1, g2 = -numbers[g], -numbers[g + U(1)], -numbers[g + U(2)]
        write6(work, o + lane, n, 0.0, 0.0, 0.0, g0, g1, g2)


@inlined
def driven_outwards(whole, numbers, work, at, given, given_at, step, q, v, a, first, last, n):
    """Motions and accelerations of all nodes, and the wrenches that their bodies need for them."""
    cleared(work, at + n * MOTION, TWIST * n)
    falling(whole, numbers, work, at + n * GAIN, n)
    loads = at + whole[LOADS_AT] * n
    for i in range(ONE, whole[NODES]):
        pose(whole, numbers, work, at, given, given_at, step, q, v, a, first, last, False, i, n)
        h = HEADER + i * WHOLE
        r = i * REAL
        o = at + i * RECORD * n
        p = at + whole[h + PARENT] * RECORD * n
        x = loads + i * TWIST * n
        if whole[h + KIND] <= SHIFT:
            if n == ONE:
                driven(work, o, work, p, work, x, numbers, r, n)
            else:
                driven_many(work, o, p, x, numbers, r)
        else:
            k = at + whole[h + BLOCK_AT] * n
            m = whole[h + COUNT]
            block_velocity(work, o, p, k, m, n)
            cleared(work, k + GAINS * n, TWIST * m * n)
            block_acceleration(work, o, p, k, m, n, GAIN)
            block_load(work, o, x, k, m, numbers, r, n)


@inlined
def handed_in(whole, numbers, work, at, q, v, out, springs, first, last, n):
    """Forces on all coordinates that carry the loads of all nodes, and their springs and dampers."""
    loads = at + whole[LOADS_AT] * n
    nodes = whole[NODES]
    for back in range(ONE, nodes):
        i = nodes - back
        h = HEADER + i * WHOLE
        o = at + i * RECORD * n
        x, y = loads + i * TWIST * n, loads + whole[h + PARENT] * TWIST * n
        j = whole[h + COORDINATE]
        if whole[h + KIND] <= SHIFT:
            if n == ONE:
                inward(work, o, work, x, work, y, numbers, i * REAL, n)
            else:
                inwards(work, o, x, y, numbers, i * REAL)
            if whole[h + KIND] != SHIFT:
                give_back(whole, numbers, work, o + n * FORCE, q, v, out, j, springs, first, last, n)
        else:
            k = at + whole[h + BLOCK_AT] * n
            block_inward(work, x, y, k, whole[h + COUNT], n)
            for c in range(whole[h + COUNT]):
                source = k + n * (FORCES + c)
                give_back(whole, numbers, work, source, q, v, out, j + c, springs, first, last, n)


@inlined
def give_back(whole, numbers, work, source, q, v, out, j, springs, first, last, n):
    """One coordinate's force of all lanes, more by what its spring and damper take up."""
    spring = whole[SPRINGS_AT] + j + j + j
    stiffness, damping, rest = numbers[spring], numbers[spring + U(1)], numbers[spring + U(2)]
    if not springs:
        stiffness, damping = 0.0, 0.0
    for lane in range(n):
        state = first + lane
        i = (state if state < last else last) * whole[SIZE] + j
        out[i] = work[source + lane] + stiffness * (q[i] - rest) + damping * v[i]


@inlined
def inverse(whole, numbers, work, at, given, given_at, step, q, v, a, out, first, last, n):
    """Forces for given accelerations by the recursive Newton-Euler algorithm (Sueda 2.10, Algorithm 5)."""
    driven_outwards(whole, numbers, work, at, given, given_at, step, q, v, a, first, last, n)
    handed_in(whole, numbers, work, at, q, v, out, True, first, last, n)


@apart
def bodies_seen(whole, numbers, work, at, field, out, n):
    """Motions or accelerations of the bodies, from those of the nodes that carry them; one lane."""
    for b in range(whole[BODIES]):
        place = whole[PLACES_AT] + b * _POSE
        o = at + whole[HEADER + whole[NODES] * WHOLE + b] * RECORD + field
        R, (t0, t1, t2) = read9(numbers, place, n), read3(numbers, place + _POSITION, n)
        w0, w1, w2, u0, u1, u2 = read6(work, o, n)
        w0, w1, w2, u0, u1, u2 = motion_down_frame(R, t0, t1, t2, w0, w1, w2, u0, u1, u2)
        write6(out, b * TWIST, n, w0, w1, w2, u0, u1, u2)


@apart
def bodies_loaded(whole, numbers, work, at, wrenches, n):
    """Wrenches on the bodies as loads of the nodes that carry them; one lane."""
    loads = at + whole[LOADS_AT]
    cleared(work, loads, whole[NODES] * TWIST)
    for b in range(whole[BODIES]):
        place = whole[PLACES_AT] + b * _POSE
        R, (t0, t1, t2) = read9(numbers, place, n), read3(numbers, place + _POSITION, n)
        f0, f1, f2, f3, f4, f5 = read6(wrenches, b * TWIST, n)
        f0, f1, f2, f3, f4, f5 = wrench_up_frame(R, t0, t1, t2, f0, f1, f2, f3, f4, f5)
        x = loads + whole[HEADER + whole[NODES] * WHOLE + b] * TWIST
        add6(work, x, n, True, f0, f1, f2, f3, f4, f5)
