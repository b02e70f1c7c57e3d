import { add, cross, dot, norm, scale } from "./matrix.js";

// Quaternions have the scalar first. Twin: rbnotes.quaternion.product.
export function product([a, ...v], [b, ...w]) {
  return [a * b - dot(v, w), ...add(add(scale(a, w), scale(b, v)), cross(v, w))];
}

// Twin: rbnotes.quaternion.from_rotation_vector.
export function fromRotationVector(w) {
  const half = norm(w) / 2;
  return [Math.cos(half), ...scale(half > 0 ? Math.sin(half) / half / 2 : 1 / 2, w)];
}

// The vector of at most half a turn. Twin: rbnotes.quaternion.to_rotation_vector.
export function toRotationVector([s, ...v]) {
  const sine = norm(v);
  return scale(sine > 0 ? (Math.sign(s || 1) * 2 * Math.atan2(sine, Math.abs(s))) / sine : 2, v);
}

// Twin: rbnotes.quaternion.rotate.
export function rotate([s, ...v], x) {
  const once = cross(v, x);
  return add(x, scale(2, add(scale(s, once), cross(v, once))));
}

// Rates of q by an angular velocity in base and in rotated coordinates.
// Twins: rbnotes.quaternion.derivative_from_base and derivative_from_body.
export const derivativeFromBase = (q, omega) => scale(1 / 2, product([0, ...omega], q));
export const derivativeFromBody = (q, omega) => scale(1 / 2, product(q, [0, ...omega]));
