// Outward normals of contacts around a pin. Twin: those of one end of rbnotes.friction.journal_bearing.
export const ringNormals = (count) =>
  Array.from({ length: count }, (_, i) => (2 * Math.PI * (i + 0.5)) / count).map((angle) => [Math.sin(angle), -Math.cos(angle)]);

// Normal multipliers of least norm, in sum over both ends of the pin, for a force in the plane of the ring.
// Twin: rbnotes.friction.journal_bearing(...).normal_multipliers.
export const ringMultipliers = ([fx, fy], count) => ringNormals(count).map(([nx, ny]) => (2 / count) * (fx * nx + fy * ny));

// Sum of the bounds mu |alpha| of friction at the contacts. Twin: BearingReaction.friction_limit over the radius.
export const frictionBound = (multipliers, mu) => multipliers.reduce((sum, each) => sum + mu * Math.abs(each), 0);

// The same with the printed bounds mu alpha. Twin: `printed` of the record sueda/s2.11/t1491#c.
export const frictionBoundPrinted = (multipliers, mu) => multipliers.reduce((sum, each) => sum + mu * each, 0);

// A step of a pendulum on a dry pin: its angle from the vertical below, its rate, the force of the pin, along and across the
// pendulum, and the torque of friction. The friction that stops the pendulum, or its bound, changes the acceleration and with
// it the force: an iteration, started without friction.
// Twin: rbnotes.multibody.reduced.bisp_step of one hinge.
export function pendulumStep({ mass, moment, distance }, gravity, angle, rate, h, { radius, mu, count }, bound = frictionBound) {
  const inertia = moment + mass * distance ** 2, weight = -mass * gravity * distance * Math.sin(angle);
  const free = rate + (h * weight) / inertia;
  let friction = 0, force = [0, 0], change = 1;
  for (let i = 0; i < 200 && change > 1e-15; i++) {
    const acceleration = (free + (h * friction) / inertia - rate) / h;
    force = [-mass * (distance * rate ** 2 + gravity * Math.cos(angle)), mass * (distance * acceleration + gravity * Math.sin(angle))];
    const limit = radius * bound(ringMultipliers(force, count), mu), next = Math.min(Math.max((-free * inertia) / h, -limit), limit);
    change = Math.abs(next - friction);
    friction = next;
  }
  const next = free + (h * friction) / inertia;
  return { angle: angle + h * next, rate: next, force, friction };
}
