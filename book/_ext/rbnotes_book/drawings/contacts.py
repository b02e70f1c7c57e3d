"""Drawings of contact and friction: gap and normal, friction cones, complementarity."""

from __future__ import annotations

import numpy as np

from rbnotes_book.drawings.pen import Pen, Points, View

MU = 0.7
BOUNDS = {
    "cone": r"\left|\beta\right| \le \mu\alpha",
    "pyramid": r"\textstyle\sum\beta_k \le \mu\alpha",
    "box": r"\left|\beta_k\right| \le \mu\bar\alpha",
}
"""Bounds of the tangential impulses."""


def gap() -> Pen:
    """Draw a body above another: normal, tangent, gap, and an impulse that pushes them apart."""
    pen = Pen(225)
    floor, radius, distance = 70.0, 48.0, 26.0
    center = np.array([120.0, floor + distance + radius])
    foot, below = center - [0, radius], np.array([center[0], floor])
    pen.circle(center, radius, "body-a", "fill")
    pen.ground((345, floor), (15, floor))
    pen.arrow(below, (0, 92), "normal", "$n$", side="r", at=0.93)
    pen.arrow(below, (62, 0), "tangent", "$t$", side="b", at=0.9, off=10)
    pen.dot(foot)
    pen.dot(below)
    for end in (foot, below):
        pen.line([end - [64, 0], end - [8, 0]], curve="thin dashed")
    pen.line([foot - [56, 0], below - [56, 0]], "ink")
    pen.label("gap", (foot + below) / 2 - [60, 0], "l", off=4)
    pen.arrow(center, (52, -40), "velocity", "$v$", side="r", at=1.0, off=6)
    # the same two, touching
    touching = np.array([270.0, floor + radius])
    at = np.array([270.0, floor])
    pen.circle(touching, radius, "body-a", "fill")
    pen.arrow(at, (0, 62), "force", "$\\theta\\,n$", side="r", at=0.9)
    pen.arrow(at, (0, -48), "force", "$-\\theta\\,n$", side="r", at=0.85)
    pen.dot(at)
    pen.label("apart: $\\theta = 0$", (120, 212))
    pen.label("touching: $\\theta \\ge 0$", (270, 212))
    return pen


def _around(corners: int, start: float = 0.0, size: float = 1.0) -> Points:
    """Return the corners (n, 2) of a regular polygon."""
    t = start + 2 * np.pi * np.arange(corners) / corners
    return size * np.stack([np.cos(t), np.sin(t)], axis=-1)


SECTIONS = {"cone": _around(60), "pyramid": _around(4), "box": _around(4, np.pi / 4, np.sqrt(2))}
"""The tangential impulses that a model allows, for a bound of 1."""


def cones() -> Pen:
    """Draw Coulomb's cone, the pyramid inside it and the box; below, their sections at one height."""
    pen = Pen(330)
    height = 92.0
    for x, (kind, section) in zip((62, 180, 298), SECTIONS.items(), strict=True):
        view = View((x, 160.0), 1.0, azimuth=-1.05, elevation=0.42)
        rim = np.column_stack([MU * 0.65 * height * section, np.full(len(section), height)])
        upper = view(rim)
        lower = view(rim * [1, 1, 0]) if kind == "box" else np.tile(view([0, 0, 0]), (len(rim), 1))
        pen.line(upper, "body-a", closed=True, curve="fill")
        for k in range(4) if kind != "cone" else (np.argmin(upper[:, 0]), np.argmax(upper[:, 0])):
            pen.line([lower[k], upper[k]], "body-edge", curve="thin")
        if kind == "box":
            pen.line(lower, "body-edge", closed=True, curve="thin")
        normal = view([0, 0, 128]) - view([0, 0, 0])
        pen.arrow(view([0, 0, 0]), normal, "normal")
        if kind == "cone":
            pen.label("$\\alpha\\,n$", view([0, 0, 128]), "t", "normal", off=5)
        pen.label("Coulomb" if kind == "cone" else kind, (x, 312))
        _section(pen, np.array([x, 72.0]), kind)
    return pen


def _section(pen: Pen, center: Points, kind: str) -> None:
    size, angle = 40.0, 0.4
    pen.line(center + size * SECTIONS[kind], "body-a", closed=True, curve="fill")
    if kind != "cone":
        pen.circle(center, size, "ink", "thin dashed")
    pen.arrow(center, (54, 0), "tangent", curve="thin")
    pen.arrow(center, (0, 54), "tangent", curve="thin")
    pen.arrow(center, 1.35 * size * np.array([np.cos(angle), np.sin(angle)]), "velocity")
    pen.arrow(center, size * maximal_dissipation(kind, angle), "force")
    pen.dot(center)
    pen.label(f"${BOUNDS[kind]}$", center - [0, 60])


def maximal_dissipation(kind: str, angle: float) -> Points:
    """Return the friction of maximal dissipation, for a bound of 1, when sliding at an angle."""
    against = -np.array([np.cos(angle), np.sin(angle)])
    if kind == "cone":
        return against
    best = np.arange(2) if kind == "box" else [int(np.argmax(np.abs(against)))]
    chosen = np.zeros(2)
    chosen[best] = np.sign(against[best])
    return chosen


def complementarity() -> Pen:
    """Draw the complementarity conditions of an LCP and of a box LCP as curves in (z, w)."""
    pen = Pen(205)
    for x, title in ((30.0, "LCP"), (205.0, "box LCP")):
        origin = np.array([x, 45.0]) if title == "LCP" else np.array([x + 62, 100.0])
        if title == "LCP":
            pen.arrow(origin, (130, 0), "ink", "$z$", side="b", at=0.97, off=5, curve="thin")
            pen.arrow(origin, (0, 130), "ink", "$w$", side="l", at=0.95, off=6, curve="thin")
            pen.line([origin + [0, 112], origin, origin + [112, 0]], "graph")
            pen.label("apart:<br>$z = 0,\\ w > 0$", origin + [10, 88], "r")
            pen.label("pushing:<br>$z > 0,\\ w = 0$", origin + [22, 32], "r")
        else:
            pen.arrow(origin - [64, 0], (142, 0), "ink", "$z$", side="b", at=0.98, off=5, curve="thin")
            pen.arrow(origin - [0, 72], (0, 150), "ink", "$w$", side="r", at=0.97, off=6, curve="thin")
            lower, upper = origin - [44, 0], origin + [44, 0]
            pen.line([lower + [0, 68], lower, upper, upper - [0, 68]], "graph")
            pen.label("$\\ell$", lower, "b", off=5)
            pen.label("$u$", upper, "t", off=5)
        pen.dot(origin)
        pen.label(title, (95.0 if title == "LCP" else 270.0, 195))
    return pen
