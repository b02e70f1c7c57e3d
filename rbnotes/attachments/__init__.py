"""Attachments: components that move with others, eliminated from the system (Lloyd 0.17 to 0.19, 0.21).

>>> import numpy as np
>>> from rbnotes.attachments import null_space_reduction, point_on_points
>>> from rbnotes.dynamics import StepProblem
>>> middle = point_on_points(2, [0, 1], [0.25, 0.75])
>>> two_masters_and_a_middle = null_space_reduction([3, 3, 3], [middle])
>>> masses = np.diag(np.repeat([1.0, 2.0, 4.0], 3))
>>> reduced = two_masters_and_a_middle.reduce(StepProblem(masses, np.zeros(9)))
>>> reduced.mass[::3, ::3].tolist()
[[1.25, 0.75], [0.75, 4.25]]
"""

from rbnotes.attachments.attachment import Attachment, CyclicAttachments, elimination_order
from rbnotes.attachments.kinematics import (
    point_on_body,
    point_on_points,
    points_on_body,
)
from rbnotes.attachments.prescribed_motion import PrescribedMotionResult, solve_prescribed_motion
from rbnotes.attachments.reduction import (
    NullSpaceReduction,
    eliminate_attachment,
    null_space_reduction,
    reduction_matrix,
)

__all__ = [
    "Attachment",
    "CyclicAttachments",
    "NullSpaceReduction",
    "PrescribedMotionResult",
    "eliminate_attachment",
    "elimination_order",
    "null_space_reduction",
    "point_on_body",
    "point_on_points",
    "points_on_body",
    "reduction_matrix",
    "solve_prescribed_motion",
]
