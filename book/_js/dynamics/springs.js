import { add, apply, combine, cross, dot, identity, multiply, norm, scale, subtract, transpose } from "./matrix.js";
import { position, rotation, transformPoint } from "./se3.js";
import { hat } from "./so3.js";

// Velocity of a point x of a body, along the axes of the world.
const velocity = (E, x, phi) => apply(rotation(E), add(cross(phi.slice(0, 3), x), phi.slice(3)));

// Gamma^T R^T f: the wrench of a force f, given along the axes of the world, at a point x of a body.
// Twin: rbnotes.se3.point_wrench.
export function wrenchOfForce(E, x, f) {
  const local = apply(transpose(rotation(E)), f);
  return [...cross(x, local), ...local];
}

// Length, its rate and the span of the segment between two points of bodies.
// Twin: rbnotes.forces.body_path_length.
export function segment(E, x, phi) {
  const span = subtract(transformPoint(E[1], x[1]), transformPoint(E[0], x[0]));
  const length = norm(span);
  const relative = subtract(velocity(E[1], x[1], phi[1]), velocity(E[0], x[0], phi[0]));
  return { span, length, rate: dot(span, relative) / length };
}

// Twin: rbnotes.forces.SpringDamper.
export const springDamper = (k, d, L) => (length, rate) => (k * (length - L) + d * rate) / L;

// The tension f_s of (S 1.66) as printed. Twin: `printed` of the record sueda/s1.9.6/e1.66.
export const printedTension = (k, d, L) => (length, rate) => (k * (length - L) - d * rate) / L;

// f_n = (1/l) (Gamma_1^T R_1^T dx; -Gamma_2^T R_2^T dx) times `sign`.
function endWrenches(E, x, { span, length }, tension, sign) {
  const force = scale((sign * tension) / length, span);
  return [wrenchOfForce(E[0], x[0], force), wrenchOfForce(E[1], x[1], scale(-1, force))];
}

// Twin: rbnotes.forces.path_wrenches(SpringDamper(k, d, L), E, x, phi).w.
export function springDamperWrenches(E, x, phi, k, d, L) {
  const path = segment(E, x, phi);
  return endWrenches(E, x, path, springDamper(k, d, L)(path.length, path.rate), 1);
}

// Twin: `printed` of the record sueda/s1.9.6/e1.66.
export function springDamperWrenchesPrinted(E, x, phi, k, d, L) {
  const path = segment(E, x, phi);
  return endWrenches(E, x, path, printedTension(k, d, L)(path.length, path.rate), -1);
}

// The matrix of (S 1.37) and (S 1.62) with its printed sign, times `factor`: 12 x 12, for two points of bodies.
// Twin: stiffness_printed, the `printed` of the record sueda/s1.9.3/e1.37#a.
export function pointStiffnessPrinted(E, x, factor) {
  const [R1, R2] = E.map(rotation), [start, end] = E.map((each, i) => transformPoint(each, x[i]));
  const arm = (R, p, point) => hat(apply(transpose(R), subtract(p, point)));
  const X = x.map(hat), across = multiply(transpose(R1), R2), back = transpose(across), one = identity(3);
  const minus = (A) => A.map((row) => scale(-1, row));
  const first = arm(R1, position(E[0]), end), second = arm(R2, position(E[1]), start);
  const blocks = [
    [multiply(X[0], first), X[0], multiply(X[0], multiply(across, X[1])), minus(multiply(X[0], across))],
    [first, one, multiply(across, X[1]), minus(across)],
    [multiply(X[1], multiply(back, X[0])), minus(multiply(X[1], back)), multiply(X[1], second), X[1]],
    [multiply(back, X[0]), minus(back), second, one],
  ];
  return blocks.flatMap((row) => [0, 1, 2].map((i) => scale(factor, row.flatMap((block) => block[i]))));
}

// Twin: rbnotes.forces.zero_length_spring(k, E, x).K.
export const pointStiffness = (E, x, k) => pointStiffnessPrinted(E, x, -k);

// The wrench of a force f, constant in the world, on a point of a body, and its derivative along body-frame increments.
// Twin: rbnotes.forces.directional_force.
export function directionalForce(f, E, x) {
  const turned = hat(apply(transpose(rotation(E)), f)), torque = multiply(hat(x), turned), none = [0, 0, 0];
  return { w: wrenchOfForce(E, x, f), K: [...torque, ...turned].map((row) => [...row, ...none]) };
}

// The same in the axes of the world, at the body's origin. Twin: rbnotes.forces.rotate_to_world.
export function rotateToWorld({ w, K }, E) {
  const turn = transformation(rotation(E)), [torque, force] = [w.slice(0, 3), w.slice(3)].map(hat), none = [0, 0, 0];
  const turning = [...torque, ...force].map((row) => [...row, ...none]);
  return { w: apply(turn, w), K: multiply(turn, multiply(combine(1, K, -1, turning), transpose(turn))) };
}
const transformation = (R) => [...R.map((row) => [...row, 0, 0, 0]), ...R.map((row) => [0, 0, 0, ...row])];
