"""Drawings of frames: poses and their indices, velocities of a body, frames of a joint, a chain, a tree."""

from __future__ import annotations

import numpy as np

from rbnotes_book.drawings.pen import Pen, rotation_matrix, unit

TREE = (None, 1, 1, 2, 2, 3)
"""Parents of the bodies 1 to 6 of the tree that is drawn."""


def pose() -> Pen:
    """Draw a frame in the world and one point in both: x_0 = R x_i + p."""
    pen = Pen(210)
    world, origin, angle = np.array([35.0, 35.0]), np.array([195.0, 95.0]), 0.5
    local = np.array([70.0, 55.0])
    point = origin + rotation_matrix(angle) @ local
    pen.body(origin + [38, 34], (92, 62), angle)
    pen.frame(world, 0.0, "$0$", side="l")
    pen.frame(origin, angle, "$i$")
    pen.arrow(world, origin - world, "position", "$p$", at=0.55, side="b", off=10)
    pen.arrow(origin, point - origin, "position", "$x_i$", at=0.55, side="r", off=9)
    pen.arrow(world, point - world, "position", "$x_0 = R\\,x_i + p$", at=0.55, side="l", off=8)
    pen.curved_arrow(world + [10, -22], origin + [-6, -24], -18, "ink", "$E_{0i}$")
    pen.dot(point)
    return pen


def velocities() -> Pen:
    """Draw the velocity of a point: the origin's velocity plus a part perpendicular to the arm."""
    pen = Pen(205)
    origin, angle, omega = np.array([105.0, 62.0]), 0.3, 0.36
    arm = rotation_matrix(angle) @ np.array([125.0, 20.0])
    v, turning = np.array([34.0, 40.0]), omega * np.array([-arm[1], arm[0]])
    point = origin + arm
    pen.body(origin + [45, 20], (118, 56), angle)
    pen.frame(origin, angle)
    pen.arrow(origin, arm, "position", "$x$", at=0.62, side="b", off=8)
    pen.arrow(origin, v, "velocity", "$v$", side="l")
    pen.arc(origin, 24, 2.4, 5.4, "moment", head=True)
    pen.label("$\\omega$", origin + [-24, -14], "l", "moment", off=3)
    pen.arrow(point, v, "velocity", curve="thin")
    pen.label("$v$", point + v, "r", "velocity", off=7)
    pen.arrow(point + v, turning, "moment", curve="thin")
    pen.label("$\\omega\\times x$", point + v + 0.5 * turning, "r", "moment", off=8)
    pen.arrow(point, v + turning, "velocity", "$v + \\omega\\times x$", side="l", at=0.8)
    pen.dot(point)
    return pen


def joint() -> Pen:
    """Draw two bodies, the joint frame in each and the pose X between them."""
    pen = Pen(235)
    child, parent = np.array([72.0, 165.0]), np.array([290.0, 62.0])
    at_i, at_k = np.array([142.0, 128.0]), np.array([218.0, 100.0])
    pen.body(child + [22, -8], (76, 50), -0.35, "a")
    pen.body(parent + [-22, 10], (76, 46), -0.3, "b")
    pen.frame(child, 0.4, "$i$", length=28, side="l")
    pen.frame(parent, -0.2, "$k$", length=28)
    pen.frame(at_i, -0.15, length=28)
    pen.frame(at_k, 0.35, length=28)
    pen.label("$j$", at_i + [-4, -3], "b", off=8)
    pen.curved_arrow(child + [12, 26], at_i + [0, 30], 18, label="${}^i_jE$")
    pen.curved_arrow(at_k + [6, -6], at_i + [8, -8], 22)
    pen.label("$X$", (176, 84), "b", off=1)
    pen.label("joint frame<br>fixed in $k$", (262, 150), "c")
    pen.arrow_along(np.linspace([250, 134], [226, 110], 12), head=False)
    world = np.array([40.0, 35.0])
    pen.frame(world, 0.0, "$0$", length=28, side="l")
    pen.curved_arrow(world + [-4, 32], child + [-10, -12], 10, label="$E_i$")
    pen.curved_arrow(world + [34, 4], parent + [-8, -6], -18, label="$E_k$")
    return pen


def chain() -> Pen:
    """Draw a chain: from a joint to the next the constant pose E_0, then the joint's pose Q(q)."""
    pen = Pen(235)
    before, bend, q = np.array([45.0, 82.0]), 0.2, 0.6
    rest = before + rotation_matrix(bend) @ np.array([158.0, 0.0])
    pen.bar(before, rest, 30, "a")
    end = rest + rotation_matrix(bend + q) @ np.array([118.0, 0.0])
    pen.bar(rest, end, 26, "b")
    middle = rest + 0.62 * (end - rest)
    tail = unit(rest - before)
    pen.line([rest, rest + 118 * tail], curve="thin dashed")
    pen.frame(before, bend, length=32)
    pen.label("joint $j-1$", before + [-6, -18], "b")
    pen.frame(rest, bend + q, length=32)
    pen.label("joint $j$", rest + [14, -18], "b")
    pen.frame(middle, bend + q + 0.3, length=22)
    pen.label("body $B_j$", end + [14, 0], "r")
    pen.arc(rest, 98, bend, bend + q, "moment", "$q_j$")
    pen.curved_arrow(before + [4, 26], rest + [-14, 26], 18, label="${}^{j-1}_jE_0$")
    pen.curved_arrow(rest + [-8, 34], middle + [-12, 18], 12)
    pen.label("${}^j_{B_j}E$", rest + [4, 66], "l", off=4)
    pen.label("${}^{j-1}_jE = {}^{j-1}_jE_0\\;Q_j(q_j)$", (180, 14), "c")
    return pen


def ancestors(body: int) -> list[int]:
    """Return a body of TREE and its ancestors."""
    path = [body]
    while (parent := TREE[path[-1] - 1]) is not None:
        path.append(parent)
    return path


def tree() -> Pen:
    """Draw a tree with its indices beside the blocks of its Jacobian."""
    pen = Pen(225)
    centers = {1: (80, 60), 2: (48, 105), 3: (118, 105), 4: (22, 155), 5: (72, 155), 6: (134, 155)}
    pen.ground((112, 14), (48, 14))
    pen.label("world, $0$", (118, 16), "r")
    pen.line([(80, 14), centers[1]], "ink")
    for child, parent in enumerate(TREE, start=1):
        if parent is not None:
            pen.line([centers[parent], centers[child]], "ink")
    for body, at in centers.items():
        pen.circle(at, 14, "disc", "fill")
        pen.label(f"${body}$", at)
    corner, cell = np.array([196.0, 172.0]), 25.0
    for row in range(1, 7):
        pen.label(f"${row}$", corner + [-12, -cell * (row - 0.5)])
        pen.label(f"${row}$", corner + [cell * (row - 0.5), 12])
        for column in range(1, 7):
            filled = column in ancestors(row)
            kind = "body-b" if column == row else "body-a" if filled else "empty"
            pen.box(corner + [cell * (column - 1), -cell * row], (cell, cell), kind)
    pen.label("$J_{mr}$", corner + [3 * cell, 33])
    pen.label("parents<br>$0, 1, 1, 2, 2, 3$", (80, 190))
    return pen
