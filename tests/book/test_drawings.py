"""Schematic drawings agree with the formulas of their chapters, and each of them is used."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rbnotes_book.drawing import picture
from rbnotes_book.drawings import DRAWINGS, contacts, frames, springs
from rbnotes_book.drawings.pen import WIDTH

BOOK = Path(__file__).parents[2] / "book"


def arrows(name):
    """Return tails and vectors of a drawing's arrows."""
    return DRAWINGS[name]().arrows


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


def test_each_drawing_is_used_in_one_chapter():
    used = [
        name for page in BOOK.glob("*.md")
        for name in re.findall(r"^```\{drawing\} (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]  # fmt: skip
    assert sorted(used) == sorted(DRAWINGS)


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawing_has_alt_text_and_labels_inside_its_frame(name):
    pen = DRAWINGS[name]()
    html = picture(pen, 'An "arrow" & more')
    assert 'aria-label="An &quot;arrow&quot; &amp; more"' in html
    assert "$" not in html
    assert html.count('class="label') == len(pen.labels) > 2
    svg = ElementTree.fromstring(pen.svg())
    points = np.array([
        [float(number) for number in pair.split(",")] for shape in svg for pair in shape.get("points").split()
    ])  # fmt: skip
    assert np.all(points >= 0)
    assert np.all(points <= [WIDTH, pen.height])
    for label in pen.labels:
        assert 0 <= label.at[0] <= WIDTH
        assert 0 <= label.at[1] <= pen.height


def test_the_forces_of_a_spring_pull_its_ends_together():
    drawn = arrows("axial-spring")
    (x_1, f_1), (x_2, f_2) = (drawn[f"$\\mathbf f_{k} = {F}\\,\\mathbf u$"] for k, F in ((1, "F"), (2, "-F")))
    u = x_2 - x_1
    np.testing.assert_allclose(f_1, -f_2)
    for along in (f_1, drawn["$\\mathbf u$"][1]):
        assert along @ u > 0
        assert abs(cross(along, u)) < 1e-9


def test_cable_forces_oppose_the_length_gradient():
    def length(points):
        return np.linalg.norm(np.diff(points, axis=0), axis=1).sum()

    drawn = {re.match(r"\$\\mathbf f_(\d)", name)[1]: arrow for name, arrow in arrows("cable").items()}
    for k, (_, force) in drawn.items():
        gradient = np.zeros(2)
        for axis in range(2):
            step = np.zeros_like(springs.PATH)
            step[int(k), axis] = 1e-6
            gradient[axis] = (length(springs.PATH + step) - length(springs.PATH - step)) / 2e-6
        assert abs(cross(force, gradient)) < 1e-6 * np.linalg.norm(force)
        assert force @ gradient < 0
    np.testing.assert_allclose(sum(force for _, force in drawn.values()), 0, atol=1e-9)


def test_the_forces_of_a_frame_spring_point_to_the_other_frame():
    (at_1, f_1), (at_2, f_2) = (arrows("frame-spring")[f"$f_{k}$"] for k in (1, 2))
    np.testing.assert_allclose(f_1, -f_2)
    assert f_1 @ (at_2 - at_1) > 0


def test_constraint_force_is_perpendicular_to_the_motion():
    drawn = arrows("constraint")
    applied, constraint, resultant = (
        drawn[name][1] for name in ("$f_x$", "$G^\\mathsf{T}\\lambda$", "$f = P_f f_x$")
    )
    motion = drawn["$\\dot x$: $G\\dot x = 0$"][1]
    assert abs(constraint @ motion) < 1e-9
    np.testing.assert_allclose(applied + constraint, resultant)


def test_point_velocity_is_v_plus_a_part_perpendicular_to_the_arm():
    drawn = arrows("velocities")
    arm, v, total = (drawn[name][1] for name in ("$x$", "$v$", "$v + \\omega\\times x$"))
    assert abs((total - v) @ arm) < 1e-9
    assert cross(arm, total - v) > 0  # the round arrow turns the same way, counter-clockwise


def test_loop_directions_are_right_handed():
    drawn = arrows("loop")
    # the axis is drawn as a cross in a circle: away from the reader
    assert cross(drawn["$\\mathbf v_1$"][1], drawn["$\\mathbf v_2$"][1]) < 0


def test_normals_and_impulses_push_apart():
    drawn = arrows("gap")
    normal, above, below = (drawn[name][1] for name in ("$n$", "$\\theta\\,n$", "$-\\theta\\,n$"))
    assert normal @ above > 0
    assert normal @ below < 0
    assert cross(drawn["$t$"][1], normal) > 0


@pytest.mark.parametrize("kind", contacts.SECTIONS)
def test_friction_has_maximal_dissipation(kind):
    section = contacts.SECTIONS[kind]
    for angle in (0.4, 1.0, 2.0, 4.0):
        sliding = np.array([np.cos(angle), np.sin(angle)])
        chosen = contacts.maximal_dissipation(kind, angle)
        assert chosen @ sliding <= (section @ sliding).min() + 1e-12
        assert any(np.allclose(chosen, corner, atol=0.06) for corner in section)


def test_tree_jacobian_blocks_are_in_the_columns_of_ancestors():
    assert [frames.ancestors(body) for body in (1, 4, 5, 6)] == [[1], [4, 2, 1], [5, 2, 1], [6, 3, 1]]
