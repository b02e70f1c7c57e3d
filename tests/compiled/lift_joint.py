"""A joint given as a function that uses all supported NumPy functions."""

import numpy as np

from rbnotes.joints import FunctionJoint


def lift(rise):
    """Return a hinge on a slider whose rotation lifts it; singular where the slider is at pi."""

    def function(q):
        angle, slide = q[0] + 0.2 * np.arctan2(q[1], 2.0), q[1]
        c, s = np.cos(angle), np.sin(angle)
        along = np.hypot(slide, 1.0) + 0.1 * np.exp(-slide) * np.tanh(slide) + np.abs(slide - 0.1)
        up = rise * np.log1p(slide**2) + (1.5 + slide**2) ** 0.7 + np.sqrt(2.0 + s)
        wide = np.arcsin(0.5 * s) + np.arctan(slide) + np.cosh(0.3 * slide) - 1.0 / (3.0 + c)
        return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), np.array([along, up, wide])

    return FunctionJoint(function, 2, name="lift", margins=lambda q: {"its end": np.cos(q[1] / 2)})
