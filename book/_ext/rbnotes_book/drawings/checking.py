"""Drawing of the check of a formula of the notes."""

from __future__ import annotations

from rbnotes_book.drawings.pen import Pen


def checking() -> Pen:
    """Draw the comparison of printed form, library form and oracle that gives the verdict."""
    pen = Pen(212)
    left, wide, high = 6.0, 140.0, 46.0
    printed, ours, oracle = (
        "as printed",
        "as the library<br>computes it",
        "in another way:<br>by brute force",
    )
    rows = {printed: 151.0, ours: 83.0, oracle: 15.0}
    middle = {text: low + high / 2 for text, low in rows.items()}
    for (text, low), kind in zip(rows.items(), ("a", "a", "b"), strict=True):
        pen.box((left, low), (wide, high), f"body-{kind}")
        pen.label(text, (left + wide / 2, low + high / 2))
    meet = (208.0, middle[ours])
    pen.circle(meet, 21.0)
    pen.label("$=$ ?", meet)
    for text, to in zip(middle, ((-16.0, 16.0), (-22.0, 0.0), (-16.0, -16.0)), strict=True):
        start = (left + wide + 3, middle[text])
        pen.arrow(start, (meet[0] + to[0] - start[0], meet[1] + to[1] - start[1]), "thin")
    for text, up in {"holds": 52.0, "on a condition": 0.0, "wrong in print": -52.0}.items():
        start = (meet[0] + 23.0, meet[1] + 0.3 * up)
        pen.arrow(start, (16.0, 0.55 * up), "thin")
        pen.label(text, (start[0] + 18.0, start[1] + 0.62 * up), "r")
    return pen
