"""Drawings of systems of equations and reductions of coordinates: KKT blocks, attachments, loops."""

from __future__ import annotations

import numpy as np

from rbnotes_book.drawings.pen import Pen, rotation_matrix, unit


def constraint() -> Pen:
    """Draw a surface phi(x) = 0, motion along it, and a force perpendicular to it."""
    pen = Pen(195)
    t = np.linspace(-1.15, 0.95, 60)
    curve = np.stack([180 + 150 * t, 48 + 62 * np.cos(1.5 * t)], axis=-1)
    pen.line(curve, "cable")
    k = 36
    at, along = curve[k], unit(curve[k + 1] - curve[k - 1])
    pen.label("$\\phi(x) = 0$", curve[9], "r", off=10)
    applied = np.array([16.0, -72.0])
    total = (applied @ along) * along
    pen.arrow(at, applied, "force", "$f_x$", side="l", at=0.9)
    pen.arrow(at, total - applied, "normal", "$G^\\mathsf{T}\\lambda$", side="r", at=0.9)
    pen.arrow(at, total, "position", "$f = P_f f_x$", side="r", at=1.0)
    pen.arrow(at, -78 * along, "velocity", "$\\dot x$: $G\\dot x = 0$", side="t", at=0.9, off=10)
    pen.line([at + applied, at + total], curve="thin dashed")
    pen.line([at + total - applied, at + total], curve="thin dashed")
    pen.circle(at, 7, "body-a", "fill")
    return pen


def kkt() -> Pen:
    """Draw the blocks of (0.3) with their sizes."""
    pen = Pen(190)
    n, m = 84.0, 44.0
    corner = np.array([34.0, 152.0])
    pen.box(corner - [0, n], (n, n), "body-a")
    pen.box(corner + [n, -n], (m, n), "body-b")
    pen.box(corner - [0, n + m], (n, m), "body-b")
    pen.box(corner + [n, -n - m], (m, m), "empty")
    x = corner[0] + n + m + 16
    pen.box((x, corner[1] - n), (26, n), "body-a")
    pen.box((x, corner[1] - n - m), (26, m), "body-b")
    y = x + 64
    pen.box((y, corner[1] - n), (26, n), "body-a")
    pen.box((y, corner[1] - n - m), (26, m), "body-b")
    pen.label("$=$", (x + 45, corner[1] - (n + m) / 2))
    top, low = corner[1] - n / 2, corner[1] - n - m / 2
    for text, at in {
        "$M$": (corner[0] + n / 2, top), "$-G^\\mathsf{T}$": (corner[0] + n + m / 2, top),
        "$G$": (corner[0] + n / 2, low), "$0$": (corner[0] + n + m / 2, low), "$v$": (x + 13, top),
        "$\\lambda$": (x + 13, low), "$b$": (y + 13, top), "$g$": (y + 13, low),
    }.items():  # fmt: skip
        pen.label(text, at)
    pen.label("$n$", (corner[0] + n / 2, corner[1] + 12))
    pen.label("$m$", (corner[0] + n + m / 2, corner[1] + 12))
    pen.label("motion", (y + 34, top), "r")
    pen.label("constraint", (y + 34, low), "r")
    pen.label("$G^\\mathsf{T}$ maps multipliers to forces", (corner[0], 10), "r")
    return pen


def attachments() -> Pen:
    """Draw a point between three others, and a point on a body."""
    pen = Pen(200)
    knots = np.array([[26.0, 78.0], [142.0, 66.0], [92.0, 162.0]])
    weights = np.array([0.3, 0.3, 0.4])
    inside = weights @ knots
    pen.line(knots, "body-a", closed=True, curve="fill")
    for k, (knot, side) in enumerate(zip(knots, "bbt", strict=True), start=1):
        pen.line([inside, knot], "position", curve="thin dashed")
        pen.dot(knot)
        pen.label(f"$x_{k},\\ w_{k}$", knot, side, off=8)
    pen.dot(inside, "slave", 5)
    pen.label("$x$", inside, "r", "slave", off=9)
    pen.label("$v = \\sum_k w_k v_k$", (88, 16))
    body, angle = np.array([240.0, 88.0]), 0.35
    local = np.array([62.0, 34.0])
    point = body + rotation_matrix(angle) @ local
    pen.body(body + [26, 18], (76, 54), angle, "b")
    pen.frame(body, angle, "$R,\\ p$", length=28, side="b")
    pen.arrow(body, point - body, "position", "$x$", at=0.6, side="b", off=8)
    pen.dot(point, "slave", 5)
    pen.arrow(point, (-22, 46), "velocity", "$v$", side="r")
    pen.label("$v = R\\,\\Gamma(x)\\,\\phi$", (268, 16))
    return pen


def coordinate_reduction() -> Pen:
    """Draw the maps of reduced coordinates: velocities in one direction, forces in the other."""
    pen = Pen(175)
    boxes = ((8, 74, "q_R", "angle"), (133, 84, "q_r", "joints"), (268, 84, "q_m", "bodies"))
    y, h = 62.0, 52.0
    for x, w, name, words in boxes:
        pen.box((x, y), (w, h), "body-a" if name != "q_R" else "body-b")
        pen.label(f"$\\dot{{\\mathbf {name[0]}}}_{name[2]}$<br>{words}", (x + w / 2, y + h / 2))
    for x, gap, name in ((82, 51, "rR"), (217, 51, "mr")):
        pen.arrow((x + 3, y + h - 10), (gap - 6, 0), "velocity")
        pen.arrow((x + gap - 3, y + 10), (6 - gap, 0), "force")
        pen.label(f"$J_{{{name}}}$", (x + gap / 2, y + h - 4), "t", "velocity", off=4)
        pen.label(f"$J_{{{name}}}^\\mathsf{{T}}$", (x + gap / 2, y + 4), "b", "force", off=4)
    pen.label("velocities", (180, 160), "c", "velocity")
    pen.label("forces", (180, 12), "c", "force")
    return pen


def crank() -> Pen:
    """Draw crank, rod and piston: r sin(theta) + l sin(psi) = 0."""
    pen = Pen(170)
    axis, r, rod, theta = np.array([70.0, 62.0]), 62.0, 190.0, 1.05
    psi = -np.arcsin(r * np.sin(theta) / rod)
    pin = axis + r * np.array([np.cos(theta), np.sin(theta)])
    end = pin + rod * np.array([np.cos(psi), np.sin(psi)])
    pen.line([(axis[0] - 30, axis[1]), (350, axis[1])], curve="thin dashed")
    pen.box(end - [22, 16], (44, 32), "body-c")
    pen.bar(axis, pin, 18, "a")
    pen.bar(pin, end, 14, "b")
    pen.ground((axis[0] + 30, axis[1] - 30), (axis[0] - 30, axis[1] - 30))
    pen.line(axis + np.array([[-16, -30], [0, 0], [16, -30]]), "ink", curve="thin")
    pen.line([pin, pin + [88, 0]], curve="thin dashed")
    for at in (axis, pin, end):
        pen.circle(at, 5, "disc", "fill")
    pen.arc(axis, 38, 0, theta, "moment", "$\\theta$")
    pen.arc(pin, 70, 0, psi, "moment")
    pen.label("$\\psi < 0$", pin + [92, 2], "r", "moment")
    pen.label("$r$", (axis + pin) / 2, "l", off=12)
    pen.label("$\\ell$", pin + 0.55 * (end - pin), "b", off=9)
    base = axis[1] - 46
    pen.arrow((axis[0], base), (end[0] - axis[0], 0), "position", curve="thin")
    pen.label(
        "$r\\cos\\theta + \\ell\\cos\\psi$", ((axis[0] + end[0]) / 2 + 20, base), "b", "position", off=3
    )
    return pen


def loop() -> Pen:
    """Draw a chain of bars with an open loop, and the directions of the constraint rows."""
    pen = Pen(235)
    base, goal = np.array([52.0, 60.0]), np.array([272.0, 60.0])
    joints = [base, base + 62 * np.array([np.cos(1.2), np.sin(1.2)])]
    joints.append(joints[1] + 178 * np.array([np.cos(0.22), np.sin(0.22)]))
    end = joints[2] + 76 * np.array([np.cos(-0.95), np.sin(-0.95)])
    pen.ground((330, 38), (20, 38))
    pen.label("$A$: base", (150, 52), "c")
    for at in (base, goal):
        pen.line([at + [-14, -22], at, at + [14, -22]], "ink", curve="thin")
    pen.bar(joints[0], joints[1], 16, "c")
    pen.bar(joints[1], joints[2], 16, "c")
    pen.bar(joints[2], end, 16, "b")
    for at in joints:
        pen.circle(at, 5, "disc", "fill")
    pen.dot(end)
    pen.dot(goal)
    pen.label("$\\mathbf x_A$", goal, "l", off=10)
    pen.label("$\\mathbf x_B$", end, "r", off=12)
    pen.label("$B$", joints[2] + 0.4 * (end - joints[2]), "r", off=12)
    pen.arrow(goal, end - goal, "slave", curve="thin")
    corner = np.array([312.0, 190.0])
    pen.arrow(corner, (34, 0), "x", "$\\mathbf v_1$", side="t", at=0.8, off=6)
    pen.arrow(corner, (0, -34), "y", "$\\mathbf v_2$", side="r", at=0.9)
    pen.circle(corner, 7, "z", "disc fill")  # the axis points away from the reader
    for angle in (np.pi / 4, 3 * np.pi / 4):
        spoke = 7 * np.array([np.cos(angle), np.sin(angle)])
        pen.line([corner - spoke, corner + spoke], "z", curve="thin")
    pen.label("$\\mathbf a$", corner, "l", "z", off=11)
    return pen
