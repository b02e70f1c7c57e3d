"""Random systems with attachments, and the full KKT system as their reference."""

import numpy as np

from rbnotes.attachments import Attachment
from rbnotes.dynamics import BilateralRows, StepProblem


def random_dag(rng, sizes, attached, masters=3, drift=True):
    """Return random attachments that form a DAG in an order independent of the indices."""
    order = [int(k) for k in rng.permutation(len(sizes))]
    attachments = []
    for index in range(len(sizes) - attached, len(sizes)):
        k = order[index]
        chosen = rng.choice(order[:index], size=min(masters, index), replace=False)
        blocks = {int(j): rng.normal(size=(sizes[k], sizes[int(j)])) for j in chosen}
        attachments.append(Attachment(k, blocks, rng.normal(size=sizes[k]) if drift else np.zeros(0)))
    return [attachments[i] for i in rng.permutation(len(attachments))]


def random_system(rng, n, rows=2, soft=False):
    A = rng.normal(size=(n, n))
    R = rng.uniform(0.1, 1.0, rows) if soft else 0.0
    M, f = A @ A.T + n * np.eye(n), rng.normal(size=n)
    return StepProblem(M, f, BilateralRows(rng.normal(size=(rows, n)), rng.normal(size=rows), R))


def attachment_rows(sizes, attachments):
    """Return rows and right sides of ``v_k - sum_j J_kj v_j = drift_k``."""
    starts = np.concatenate([[0], np.cumsum(sizes)])
    rows, right = [], []
    for attachment in attachments:
        row = np.zeros((attachment.size, starts[-1]))
        k = attachment.component
        row[:, starts[k] : starts[k + 1]] = np.eye(attachment.size)
        for j, block in attachment.blocks.items():
            row[:, starts[j] : starts[j + 1]] -= block
        rows.append(row)
        right.append(attachment.bias)
    return np.concatenate(rows), np.concatenate(right)


def solve_full_kkt_system(system, sizes, attachments):
    """Return v, the constraint multipliers and the attachment forces from one linear system."""
    C, c = attachment_rows(sizes, attachments)
    k, m, n = len(system.bilateral.target), len(c), len(system.momentum)
    R = np.diag(system.bilateral.regularization)
    K = np.zeros((n + k + m, n + k + m))
    K[:n, :n], K[:n, n : n + k], K[:n, n + k :] = system.mass, -system.bilateral.rows.T, -C.T
    K[n : n + k, :n], K[n : n + k, n : n + k], K[n + k :, :n] = system.bilateral.rows, R, C
    solution = np.linalg.solve(K, np.concatenate([system.momentum, system.bilateral.target, c]))
    return solution[:n], solution[n : n + k], solution[n + k :], C
