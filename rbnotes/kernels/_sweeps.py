"""The sweeps over all elements, for one state or for eight at once.

``like`` tells which; ``first`` is the first of the states. Of one state, eight elements are worked on at once
where none needs another.
"""

from rbnotes.kernels._algebra import apart, cross, inlined, product, times, transposed
from rbnotes.kernels._blocks import answer, block, expanded, first_of, is_told
from rbnotes.kernels._layout import (
    ACCELERATION,
    AXIS,
    BODIES,
    CONSTANTS,
    ELEMENTS,
    FILLED,
    FORCE,
    GRAVITY_AT,
    HEADER,
    INNER,
    KIND,
    LANES,
    ONE,
    OWN_SLOT,
    PARENT,
    PARENT_SLOT,
    PLACES_AT,
    POSE,
    POSITION,
    PUSHED,
    QUATERNION,
    RATE,
    RECORD,
    ROOM_AT,
    SHARED,
    SIZE,
    SLIDES,
    SLOT,
    SLOTS,
    STATE,
    TOLD,
    TWIST,
    WHOLE,
    WRENCH,
    ZERO,
    P,
    Room,
    U,
)
from rbnotes.kernels._memory import (
    add6,
    near3,
    near6,
    near9,
    put6,
    read3,
    read6,
    read9,
    write3,
    write6,
    write9,
)
from rbnotes.kernels._numbers import eight, place, read, spread, write
from rbnotes.kernels._states import collect, deliver, fetch
from rbnotes.kernels._steps import (
    accelerated,
    borne,
    load,
    moved_about_axis,
    read_load,
    read_pose,
    released,
    sprung,
    turned,
    write_load,
    write_pose,
)


@inlined
def room_for_one(whole):
    """Where one state is evaluated, behind the constants."""
    groups = whole[FILLED] // LANES
    states = whole[ROOM_AT] + groups * RECORD
    slots = states + groups * STATE
    return Room(whole[ROOM_AT], states, slots, slots + whole[SLOTS] * SLOT)


@inlined
def room_for_eight(whole):
    """Where eight states are evaluated. Coordinates come eight at a time, and the last of them need room."""
    states = (whole[FILLED] + LANES) * RECORD
    slots = states + (whole[FILLED] + LANES) * STATE
    return Room(ZERO, states, slots, slots + whole[SLOTS] * SLOT)


@inlined
def states_of(whole, room, e, like):
    """Where what children need of an element is, and where that of its parent is."""
    parent = whole[HEADER + e * WHOLE + PARENT]
    return room.states + place(e, STATE, like), room.states + place(parent, STATE, like)


@inlined
def collected(whole, work, room, q, v, f, first, e, like):
    """Coordinates, rates and forces of eight elements from one on, of eight states."""
    size, o = whole[SIZE], room.records + place(e, RECORD, like)
    j = e - ONE
    at, count = first * size + j, min(LANES, size - j)
    collect(q, at, size, count, work, o + POSITION, RECORD)
    collect(v, at, size, count, work, o + RATE, RECORD)
    collect(f, at, size, count, work, o + FORCE, RECORD)


@inlined
def fetched(whole, q, v, f, out, first, e):
    """Asks for numbers of the next eight states, and for the room for what comes out.

    Of eight states, eight numbers for each element. Read as they are, eight rows side by side, a processor
    does not guess by itself which ones come next.
    """
    ahead = first * whole[SIZE] + (whole[SIZE] + e - ONE) * LANES
    fetch(q, ahead)
    fetch(v, ahead)
    fetch(f, ahead)
    fetch(out, ahead)


@inlined
def delivered(whole, work, room, out, first, like):
    """What has come out for eight states."""
    size = whole[SIZE]
    for j in range(ZERO, size, LANES):
        o = room.records + place(j + ONE, RECORD, like) + FORCE
        deliver(out, first * size + j, size, min(LANES, size - j), work, o, RECORD)


@inlined
def resting(whole, numbers, work, room, like):
    """The world: it falls upwards, and weights need no other mention."""
    h, g = room.states, whole[GRAVITY_AT]
    zero, one = spread(0.0, like), spread(1.0, like)
    write9(work, h + POSE, one, zero, zero, zero, one, zero, zero, zero, one)
    write3(work, h + POSE + P, zero, zero, zero)
    write6(work, h + TWIST, zero, zero, zero, zero, zero, zero)
    g0, g1, g2 = near3(numbers, g)
    g0, g1, g2 = spread(-g0, like), spread(-g1, like), spread(-g2, like)
    write6(work, h + ACCELERATION, zero, zero, zero, g0, g1, g2)
    write6(work, room.records + WRENCH, zero, zero, zero, zero, zero, zero)


@inlined
def unsprung(numbers, c, work, o, like, across):
    """Takes from the force what spring and damper take."""
    force = read(work, o + FORCE, like)
    write(work, o + FORCE, force - sprung(numbers, c, work, o, like, across))


@inlined
def moving(whole, numbers, work, room, given, first, reduced, e, pose, like):
    """Pose, columns, twist and acceleration of a joint, when it comes to the last of its elements.

    Given is the pose in the parent's frame of a joint of one axis.
    """
    h = HEADER + e * WHOLE
    kind = whole[h + KIND]
    if kind == AXIS:
        o = room.records + place(e, RECORD, like)
        own, parent = states_of(whole, room, e, like)
        told = whole[h + TOLD] > ZERO or not reduced
        slides = whole[h + SLIDES] > ZERO
        c = place(e, CONSTANTS, 0.0)
        moved_about_axis(numbers, c, work, o, own, parent, pose, slides, told, like)
    elif kind == INNER:
        own, _ = states_of(whole, room, e, like)
        zero = spread(0.0, like)
        write6(work, own + TWIST, zero, zero, zero, zero, zero, zero)
        write6(work, own + ACCELERATION, zero, zero, zero, zero, zero, zero)
    else:
        own, _ = states_of(whole, room, e, like)
        _, parent = states_of(whole, room, first_of(whole, e), like)
        block(whole, numbers, work, room, given, first, reduced, e, own, parent, like)


@inlined
def places_of_eight(room, e):
    """Where the constants, the records and the states are of eight elements from one on."""
    return (
        place(e, CONSTANTS, 0.0),
        room.records + place(e, RECORD, 0.0),
        room.states + place(e, STATE, 0.0),
    )


@inlined
def outwards_for_one(whole, numbers, room, q, v, f, reduced):
    """Motions of all elements, inertias of their bodies and the wrenches that these need.

    Forces ``f`` are accelerations where joints are told theirs; if not ``reduced``, all are.
    """
    elements, filled, row = whole[ELEMENTS], whole[FILLED], eight(0.0)
    for e in range(ONE, elements):
        o = room.records + place(e, RECORD, 0.0)
        numbers[o + POSITION], numbers[o + RATE], numbers[o + FORCE] = q[e - ONE], v[e - ONE], f[e - ONE]
    for e in range(ZERO, filled, LANES):
        c, o, h = places_of_eight(room, e)
        if reduced:
            unsprung(numbers, c, numbers, o, row, True)
        write_pose(numbers, h, turned(numbers, c, numbers, o, True, row, True))
    resting(whole, numbers, numbers, room, 0.0)
    for e in range(ONE, elements):
        pose = read_pose(numbers, room.states + place(e, STATE, 0.0), 0.0)
        moving(whole, numbers, numbers, room, numbers, ZERO, reduced, e, pose, 0.0)
    for e in range(ZERO, filled, LANES):
        c, o, h = places_of_eight(room, e)
        write_load(numbers, o, load(numbers, c, numbers, h, row, True))


@inlined
def outwards_for_eight(whole, numbers, work, room, given, q, v, f, out, first, reduced, like):
    """The same for eight states. If reduced, loads wait for the way in: there they need not be stored."""
    elements = whole[ELEMENTS]
    resting(whole, numbers, work, room, like)
    for begin in range(ONE, elements, LANES):
        collected(whole, work, room, q, v, f, first, begin, like)
        for e in range(begin, min(begin + LANES, elements)):
            c, o = place(e, CONSTANTS, 0.0), room.records + place(e, RECORD, like)
            own, _ = states_of(whole, room, e, like)
            fetched(whole, q, v, f, out, first, e)
            if reduced:
                unsprung(numbers, c, work, o, like, False)
            pose = turned(numbers, c, work, o, whole[HEADER + e * WHOLE + SLIDES] > ZERO, like, False)
            moving(whole, numbers, work, room, given, first, reduced, e, pose, like)
            if not reduced:
                write_load(work, o, load(numbers, c, work, own, like, False))


@inlined
def freed(whole, numbers, work, room, out, stored, like):
    """Accelerations of all coordinates by the articulated-body algorithm (Sueda 2.12, Algorithm 9).

    Forces that the joints of steady coordinates bear are let go on the way in, and accelerations added on the
    way out. Loads are ``stored``, or found on the way in.
    """
    elements = whole[ELEMENTS]
    for back in range(ONE, elements):
        e = elements - back
        h = HEADER + e * WHOLE
        c, o = place(e, CONSTANTS, 0.0), room.records + place(e, RECORD, like)
        x = room.slots + whole[h + OWN_SLOT] * SLOT
        y = room.slots + whole[h + PARENT_SLOT] * SLOT
        shared = whole[h + SHARED] > ZERO
        own, _ = states_of(whole, room, e, like)
        weight = read_load(work, o, like) if stored else load(numbers, c, work, own, like, False)
        released(numbers, c, work, o, own, x, y, shared, weight, whole[h + TOLD] > ZERO, like)
    zero = spread(0.0, like)
    write6(work, room.records + PUSHED, zero, zero, zero, zero, zero, zero)
    for e in range(ONE, elements):
        h = HEADER + e * WHOLE
        o = room.records + place(e, RECORD, like)
        own, _ = states_of(whole, room, e, like)
        up = room.records + place(whole[h + PARENT], RECORD, like)
        a = accelerated(work, o, own, up, whole[h + TOLD] > ZERO, like)
        answer(work, room, out, e, a, like)
        if whole[h + KIND] == QUATERNION and not is_told(whole, e):
            expanded(whole, work, room, out, e, like)


@inlined
def bearing(whole, numbers, work, room, out, springs, like):
    """Forces on all coordinates that bear the wrenches of all elements, and their springs and dampers.

    After outward sweeps these are the ones of the recursive Newton-Euler algorithm (Sueda 2.10, Algorithm 5).
    """
    elements = whole[ELEMENTS]
    for back in range(ONE, elements):
        e = elements - back
        h = HEADER + e * WHOLE
        o = room.records + place(e, RECORD, like)
        up = room.records + place(whole[h + PARENT], RECORD, like)
        force = borne(work, o, up, like)
        if springs:
            force = force + sprung(numbers, place(e, CONSTANTS, 0.0), work, o, like, False)
        answer(work, room, out, e, force, like)


@inlined
def frame_of_body(whole, numbers, room, b):
    """Pose of a body, and the element that carries it; of one state."""
    at, e = whole[PLACES_AT] + b * U(12), whole[HEADER + whole[ELEMENTS] * WHOLE + b]
    h = room.states + place(e, STATE, 0.0) + POSE
    R, (p0, p1, p2) = read9(numbers, h, 0.0), read3(numbers, h + P, 0.0)
    t0, t1, t2 = near3(numbers, at + U(9))
    t0, t1, t2 = times(R, t0, t1, t2)
    return product(R, near9(numbers, at)), p0 + t0, p1 + t1, p2 + t2, e


@apart
def bodies_seen(whole, numbers, room, field, out):
    """Twists or accelerations of the bodies, from those of the elements that carry them; of one state."""
    for b in range(whole[BODIES]):
        R, p0, p1, p2, e = frame_of_body(whole, numbers, room, b)
        w0, w1, w2, u0, u1, u2 = read6(numbers, room.states + place(e, STATE, 0.0) + field, 0.0)
        x0, x1, x2 = cross(w0, w1, w2, p0, p1, p2)
        T = transposed(R)
        w0, w1, w2 = times(T, w0, w1, w2)
        u0, u1, u2 = times(T, u0 + x0, u1 + x1, u2 + x2)
        put6(out, b * U(6), w0, w1, w2, u0, u1, u2)


@apart
def unloaded(whole, numbers, room):
    """No wrenches on any element; of one state."""
    for e in range(whole[ELEMENTS]):
        o = room.records + place(e, RECORD, 0.0)
        write6(numbers, o + WRENCH, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@apart
def bodies_loaded(whole, numbers, room, wrenches, sign):
    """Wrenches on the bodies, added to those of the elements that carry them; of one state."""
    for b in range(whole[BODIES]):
        R, p0, p1, p2, e = frame_of_body(whole, numbers, room, b)
        n0, n1, n2, f0, f1, f2 = near6(wrenches, b * U(6))
        n0, n1, n2 = times(R, sign * n0, sign * n1, sign * n2)
        f0, f1, f2 = times(R, sign * f0, sign * f1, sign * f2)
        x0, x1, x2 = cross(p0, p1, p2, f0, f1, f2)
        o = room.records + place(e, RECORD, 0.0)
        add6(numbers, o + WRENCH, n0 + x0, n1 + x1, n2 + x2, f0, f1, f2)
