"""Drawings of springs, cables, muscles and frame springs: attachment points and directions of forces."""

from __future__ import annotations

import numpy as np

from rbnotes_book.drawings.pen import Pen, unit


def axial() -> Pen:
    """Draw the axial spring of Lloyd 0.12: f_1 = F u and f_2 = -F u."""
    pen = Pen(150)
    x_1, x_2 = np.array([62.0, 42.0]), np.array([292.0, 96.0])
    u = unit(x_2 - x_1)
    across = np.array([-u[1], u[0]])
    pen.spring(x_1, x_2, coils=9)
    pen.circle(x_1, 12, "body-a", "fill")
    pen.circle(x_2, 12, "body-b", "fill")
    pen.dot(x_1)
    pen.dot(x_2)
    pen.label("$\\mathbf x_1$", x_1, "b", off=14)
    pen.label("$\\mathbf x_2$", x_2, "b", off=14)
    lift = 22 * across
    pen.arrow(x_1 + lift, 62 * u, "force", "$\\mathbf f_1 = F\\,\\mathbf u$", at=0.35, side="t", off=9)
    pen.arrow(x_2 + lift, -62 * u, "force", "$\\mathbf f_2 = -F\\,\\mathbf u$", at=0.1, side="t", off=9)
    drop = -24 * across
    pen.line([x_1 + drop + 14 * u, x_2 + drop - 14 * u], curve="thin")
    pen.label("$l$", (x_1 + x_2) / 2 + drop + 40 * u, "b", off=4)
    pen.arrow(x_1 + drop + 50 * u, 44 * u, "position", "$\\mathbf u$", at=0.5, side="b", off=6)
    return pen


PATH = np.array([[28.0, 60.0], [120.0, 150.0], [225.0, 70.0], [332.0, 128.0]])
"""Points of the cable of Lloyd's Figure 0.1."""


def cable() -> Pen:
    """Draw the cable of Lloyd 0.14: f_0 = F u_0, f_i = F (u_i - u_{i-1}), f_n = -F u_{n-1}."""
    pen = Pen(200)
    u = np.array([unit(step) for step in np.diff(PATH, axis=0)])
    for k in (1, 2):
        inward = unit(u[k] - u[k - 1])
        pen.circle(PATH[k] + 13 * inward, 13, "disc", "fill")
    pen.line(PATH, "cable")
    F = 46.0
    pulls = F * np.array([u[0], u[1] - u[0], u[2] - u[1], -u[2]])
    offsets = np.array([[-10, 10], [0, 0], [0, 0], [-6, 14]])
    for k, (side, at) in enumerate(zip("tbtt", (0.55, 1.0, 1.0, 0.55), strict=True)):
        two = f" = F(\\mathbf u_{k} - \\mathbf u_{k - 1})" if k in (1, 2) else ""
        name = f"$\\mathbf f_{k}{two}$"
        pen.arrow(PATH[k] + offsets[k], pulls[k], "force", name, side=side, at=at, off=7)
        pen.dot(PATH[k])
    for k, side in enumerate("btbb"):
        pen.label(f"$\\mathbf x_{k}$", PATH[k], side, off=9)
    for k in range(3):
        middle = PATH[k] + (0.4, 0.62, 0.5)[k] * (PATH[k + 1] - PATH[k])
        pen.label(f"$l_{k}$", middle, "rlb"[k], off=8)
    return pen


def muscle() -> Pen:
    """Draw a path from one body over a point of it to another, with the forces along its segments."""
    pen = Pen(220)
    elbow = np.array([205.0, 52.0])
    pen.bar((60, 180), elbow, 40, "a")
    pen.bar(elbow, (330, 118), 34, "b")
    pen.circle(elbow, 6, "disc", "fill")
    X = np.array([[92.0, 184.0], [176.0, 106.0], [268.0, 108.0]])
    u = np.array([unit(step) for step in np.diff(X, axis=0)])
    pen.line(X, "muscle")
    f = 50.0
    pen.arrow(X[0], f * u[0], "force", "$f\\,u_1$", at=0.62, side="l", off=9)
    pen.arrow(X[1], f * (u[1] - u[0]), "force", "$f\\,(u_2 - u_1)$", side="t")
    pen.arrow(X[2], -f * u[1], "force", "$-f\\,u_2$", at=0.4, side="t", off=10)
    for k, (point, side) in enumerate(zip(X, "trr", strict=True), start=1):
        pen.dot(point)
        pen.label(f"$X_{k}$", point, side if k != 2 else "b", off=9)
    for origin, angle, name, x in (
        ((118.0, 118.0), -0.7, "$E_1$", X[1]),
        ((286.0, 70.0), 0.35, "$E_2$", X[2]),
    ):
        pen.frame(origin, angle, name, length=24, side="b", off=12)
        pen.line([origin, x], "position", curve="thin dashed")
    return pen


def frame_spring() -> Pen:
    """Draw Lloyd's Figure 0.2: a frame spring between frames 1 and 2, fixed in A and B."""
    pen = Pen(250)
    A, B = np.array([58.0, 92.0]), np.array([304.0, 108.0])
    x_1, x_2 = np.array([122.0, 122.0]), np.array([244.0, 172.0])
    pen.body((80, 104), (72, 50), 0.4, "a")
    pen.body((284, 136), (70, 48), -0.75, "b")
    pen.spring(x_1, x_2, coils=7)
    pen.frame(A, 0.15, "$A$", length=30)
    pen.frame(B, 0.5, "$B$", length=30)
    pen.frame(x_1, 0.1, length=32)
    pen.frame(x_2, 0.75, length=32)
    pen.label("$1$", x_1 + [-8, 0], "b", off=9)
    pen.label("$2$", x_2 + [14, 0], "r", off=9)
    pen.curved_arrow(A + [-2, 34], x_1 + [-6, 30], 22, label="$X_1$")
    pen.curved_arrow(B + [24, 28], x_2 + [22, 24], -16, label="$X_2$")
    force = 34 * unit(x_2 - x_1)
    drop = 22 * np.array([force[1], -force[0]]) / np.linalg.norm(force)
    pen.arrow(x_1 + drop, force, "force", "$f_1$", at=1.0, side="r")
    pen.arrow(x_2 + drop, -force, "force", "$f_2$", at=1.0, side="b", off=4)
    pen.curved_arrow(x_1 + [8, 36], x_2 + [-12, 26], 26, label="$R,\\ r$")
    world = np.array([165.0, 30.0])
    pen.frame(world, 0.0, "$W$", length=28, side="l")
    pen.curved_arrow(world + [-6, 18], A + [8, -18], -14, label="")
    pen.curved_arrow(world + [34, 2], B + [-6, -22], -18, label="$E_B$")
    pen.label("$E_A$", (106, 46), "b")
    return pen
