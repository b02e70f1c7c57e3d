import { add, apply, cross, multiply, scale, solve, transpose } from "./matrix.js";
import * as so3 from "./so3.js";

export const rotation = (E) => E.slice(0, 3).map((row) => row.slice(0, 3));
export const position = (E) => E.slice(0, 3).map((row) => row[3]);

// Twin: rbnotes.se3.frame.
export const frame = (R, p) => [...R.map((row, i) => [...row, p[i]]), [0, 0, 0, 1]];

// The pose of a body that moves in the plane of x and y.
export function planar([x, y, angle]) {
  const c = Math.cos(angle), s = Math.sin(angle);
  return frame([[c, -s, 0], [s, c, 0], [0, 0, 1]], [x, y, 0]);
}
export const planarPose = (E) => [E[0][3], E[1][3], Math.atan2(E[1][0], E[0][0])];

// Twin: rbnotes.se3.transform_points.
export const transformPoint = (E, x) => add(position(E), apply(rotation(E), x));

// Twin: rbnotes.se3.exp; twists have the angular part first.
export function exp(xi) {
  const w = xi.slice(0, 3);
  return frame(so3.exp(w), apply(so3.leftJacobian(w), xi.slice(3)));
}

// Twin: rbnotes.se3.log, for rotations by less than half a turn.
export function log(E) {
  const w = so3.log(rotation(E));
  return [...w, ...solve(so3.leftJacobian(w), position(E))];
}

// The bracket of two twists. Twin: rbnotes.se3.ad, applied to a twist.
export function bracket(a, b) {
  const [w, v] = [a.slice(0, 3), a.slice(3)], angular = b.slice(0, 3);
  return [...cross(w, angular), ...add(cross(v, angular), cross(w, b.slice(3)))];
}

export const compose = (A, B) => multiply(A, B);

// Twin: rbnotes.se3.inverse.
export function inverse(E) {
  const Rt = transpose(rotation(E));
  return frame(Rt, scale(-1, apply(Rt, position(E))));
}

// Twin: rbnotes.se3.Ad, applied to a twist.
export function transformTwist(E, phi) {
  const R = rotation(E), w = apply(R, phi.slice(0, 3));
  return [...w, ...add(cross(position(E), w), apply(R, phi.slice(3)))];
}

// Twin: the transpose of rbnotes.se3.Ad_inverse, applied to a wrench.
export function transformWrench(E, wrench) {
  const R = rotation(E), f = apply(R, wrench.slice(3));
  return [...add(apply(R, wrench.slice(0, 3)), cross(position(E), f)), ...f];
}
