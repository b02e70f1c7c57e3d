"""Reference results from energies, a minimum over all rigid motions, and many small impulses."""

import numpy as np

PARTS = 400
SOLID = 2 / 5


def inertia(m, x):
    """Return the inertia about the center of mass, entry by entry from the rotational energy."""
    middle = np.average(x, axis=0, weights=m)

    def twice_energy(omega):
        return np.sum(m * np.sum(np.cross(omega, x - middle) ** 2, axis=1))

    axes = np.eye(3)
    return np.array(
        [[0.5 * (twice_energy(a + b) - twice_energy(a) - twice_energy(b)) for b in axes] for a in axes]
    )


def struck(m, x, i, p):
    """Return the rigid motion after an impulse, by Gauss's principle of least constraint."""
    rows, right = [], []
    for number, (mass, point) in enumerate(zip(m, x, strict=True)):
        turning = np.stack([np.cross(axis, point) for axis in np.eye(3)], axis=1)
        rows.append(np.sqrt(mass) * np.hstack([turning, np.eye(3)]))
        right.append(p / np.sqrt(mass) if number == i else np.zeros(3))
    motion, *_ = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)
    return motion[:3]


def bounce(v, omega, r, e, mu):
    """Press a little at a time; rub as much as Coulomb allows and no more than stops the slip."""
    v, omega = v.copy(), omega.copy()
    contact, up = np.array([0.0, 0.0, -r]), np.array([0.0, 0.0, 1.0])
    share = -(1 + e) * v[2] / PARTS  # impulses of a ball of mass 1
    for _ in range(PARTS):
        v += share * up
        slip = (v + np.cross(omega, contact)) * (1 - up)
        speed = np.linalg.norm(slip)
        if speed < 1e-14:
            continue
        most = speed / (1 + 1 / SOLID)
        rub = -min(mu * share, most) * slip / speed
        v += rub
        omega += np.cross(contact, rub) / (SOLID * r**2)
    return np.concatenate([v, omega])


def clouds(rng):
    n = int(rng.integers(4, 8))
    return {"m": rng.uniform(0.2, 3, size=n), "x": rng.normal(size=(n, 3)) + rng.normal(size=3)}


def blows(rng):
    cloud = clouds(rng)
    return {**cloud, "i": int(rng.integers(len(cloud["m"]))), "p": rng.normal(size=3)}


def _ball(friction):
    def draw(rng):
        v = rng.normal(size=3)
        v[2] = -rng.uniform(0.5, 2)
        ball = {"v": v, "omega": rng.normal(size=3), "r": rng.uniform(0.1, 0.5), "e": rng.uniform(0.2, 0.9)}
        slip = np.hypot(*(v + np.cross(ball["omega"], [0, 0, -ball["r"]]))[:2])
        stops = slip * 2 / 7 / -(v[2] * (1 + ball["e"]))  # at this coefficient the slip just stops
        return {**ball, "mu": stops * friction(rng)}

    return draw


def _rolls(rng):
    ball = _ball(lambda rng: 1.0)(rng)
    ball["v"][:2] = -np.cross(ball["omega"], [0, 0, -ball["r"]])[:2]
    return {**ball, "mu": rng.uniform(0.1, 0.9)}


balls = {
    "slides": _ball(lambda rng: rng.uniform(0.1, 0.7)),
    "stops": _ball(lambda rng: rng.uniform(1.4, 3.0)),
    "does not slide": _rolls,
}
