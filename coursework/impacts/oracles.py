"""Reference results from energies, a minimum over all rigid motions, and many small impulses."""

import numpy as np

PARTS = 400
SOLID = 2 / 5


def inertia(m, x):
    """Return the inertia about the center of mass, entry by entry from the rotational energy."""
    center = np.average(x, axis=0, weights=m)

    def twice_energy(omega):
        return np.sum(m * np.sum(np.cross(omega, x - center) ** 2, axis=1))

    axes = np.eye(3)
    return np.array(
        [[0.5 * (twice_energy(a + b) - twice_energy(a) - twice_energy(b)) for b in axes] for a in axes]
    )


def angular_velocity_after_impulse(m, x, i, p):
    """Return the rigid motion after an impulse, by Gauss's principle of least constraint."""
    rows, right = [], []
    for index, (mass, point) in enumerate(zip(m, x, strict=True)):
        rotation = np.stack([np.cross(axis, point) for axis in np.eye(3)], axis=1)
        rows.append(np.sqrt(mass) * np.hstack([rotation, np.eye(3)]))
        right.append(p / np.sqrt(mass) if index == i else np.zeros(3))
    motion, *_ = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=None)
    return motion[:3]


def bounce(v, omega, r, e, mu):
    """Apply small normal impulses in turn, each with Coulomb friction that at most stops the slip."""
    v, omega = v.copy(), omega.copy()
    contact, up = np.array([0.0, 0.0, -r]), np.array([0.0, 0.0, 1.0])
    normal_impulse = -(1 + e) * v[2] / PARTS  # impulses of a ball of mass 1
    for _ in range(PARTS):
        v += normal_impulse * up
        slip = (v + np.cross(omega, contact)) * (1 - up)
        speed = np.linalg.norm(slip)
        if speed < 1e-14:
            continue
        sticking_impulse = speed / (1 + 1 / SOLID)
        friction_impulse = -min(mu * normal_impulse, sticking_impulse) * slip / speed
        v += friction_impulse
        omega += np.cross(contact, friction_impulse) / (SOLID * r**2)
    return np.concatenate([v, omega])


def draw_particles(rng):
    n = int(rng.integers(4, 8))
    return {"m": rng.uniform(0.2, 3, size=n), "x": rng.normal(size=(n, 3)) + rng.normal(size=3)}


def draw_impulses(rng):
    particles = draw_particles(rng)
    return {**particles, "i": int(rng.integers(len(particles["m"]))), "p": rng.normal(size=3)}


def _ball_sampler(friction):
    def draw(rng):
        v = rng.normal(size=3)
        v[2] = -rng.uniform(0.5, 2)
        ball = {"v": v, "omega": rng.normal(size=3), "r": rng.uniform(0.1, 0.5), "e": rng.uniform(0.2, 0.9)}
        slip = np.hypot(*(v + np.cross(ball["omega"], [0, 0, -ball["r"]]))[:2])
        critical_mu = slip * 2 / 7 / -(v[2] * (1 + ball["e"]))  # the slip just stops
        return {**ball, "mu": critical_mu * friction(rng)}

    return draw


def _draw_rolling_ball(rng):
    ball = _ball_sampler(lambda rng: 1.0)(rng)
    ball["v"][:2] = -np.cross(ball["omega"], [0, 0, -ball["r"]])[:2]
    return {**ball, "mu": rng.uniform(0.1, 0.9)}


balls = {
    "slides": _ball_sampler(lambda rng: rng.uniform(0.1, 0.7)),
    "stops": _ball_sampler(lambda rng: rng.uniform(1.4, 3.0)),
    "does not slide": _draw_rolling_ball,
}
