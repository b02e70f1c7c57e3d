import { combine, identity, multiply, transpose } from "./matrix.js";
import { inverse, transformTwist } from "./se3.js";

// Spatial inertia of a box about its center, along its edges. Twin: rbnotes.shapes.Box.spatial_inertia.
export function box(mass, [x, y, z]) {
  const moment = (a, b) => (mass / 12) * (a * a + b * b), diagonal = [moment(y, z), moment(z, x), moment(x, y), mass, mass, mass];
  return diagonal.map((each, i) => diagonal.map((_, j) => (i === j ? each : 0)));
}

// The same body in the frame where it has pose E. Twin: rbnotes.inertia.transform_inertia.
export function transformInertia(E, M) {
  const back = inverse(E), Ad = transpose(identity(6).map((column) => transformTwist(back, column)));
  return multiply(transpose(Ad), multiply(M, Ad));
}

// Two bodies welded together, in a common frame.
export const composite = (A, B) => combine(1, A, 1, B);

// Mass, center of mass, and moment about the axis through it along z. Twin: rbnotes.inertia.from_spatial_inertia.
export function planarProperties(M) {
  const mass = M[3][3], com = [M[2][4] / mass, -M[2][3] / mass];
  return { mass, com, moment: M[2][2] - mass * (com[0] ** 2 + com[1] ** 2) };
}
