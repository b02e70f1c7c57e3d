"""Components that move with others."""

from __future__ import annotations

import numpy as np
from engine import Call

from rbnotes import attachments, se3
from rbnotes.dynamics import StepProblem, solve_step

E = se3.exp([0.1, 0.2, 0.3, 1.0, 2.0, 3.0])
PHI = np.array([0.5, -0.25, 1.0, 0.25, 0.5, -1.0])
MIDDLE = attachments.point_on_points(2, [0, 1], [0.25, 0.75])
SIZES = [3, 3, 3]
PROBLEM = StepProblem(np.diag(np.repeat([1.0, 2.0, 4.0], 3)), np.arange(9.0))
SPACE = attachments.null_space_reduction(SIZES, [MIDDLE])
SOLUTION = SPACE.expand(solve_step(SPACE.reduce(PROBLEM)))
SINGLE = StepProblem(np.diag([1.0, 2.0, 3.0]), [1.0, 2.0, 3.0])

CALLS = [
    Call(
        attachments.Attachment,
        {"component": 2, "blocks": {0: np.eye(3)}, "bias": np.zeros(3)},
    ),
    Call(attachments.elimination_order, {"attachments": [MIDDLE]}),
    Call(
        attachments.point_on_body,
        {"component": 1, "body": 0, "E": E, "x": np.array([0.1, 0.2, 0.3]), "phi": PHI},
    ),
    Call(
        attachments.points_on_body,
        {"components": [1, 2], "body": 0, "E": E, "x": np.ones((2, 3)), "phi": PHI},
    ),
    Call(attachments.point_on_points, {"component": 2, "masters": [0, 1], "weights": np.array([0.25, 0.75])}),
    Call(
        attachments.solve_prescribed_motion,
        {"problem": SINGLE, "prescribed_indices": [0], "v_prescribed": [0.5]},
    ),
    Call(attachments.null_space_reduction, {"sizes": SIZES, "attachments": [MIDDLE]}),
    Call(attachments.eliminate_attachment, {"problem": PROBLEM, "sizes": SIZES, "attachment": MIDDLE}),
    Call(attachments.reduction_matrix, {"sizes": SIZES, "attachment": MIDDLE}),
    Call(SPACE.attachment_forces, {"problem": PROBLEM, "solution": SOLUTION}),
]
