import { add, apply, cross, multiply, scale, subtract, transpose } from "./matrix.js";
import { rotation, transformPoint } from "./se3.js";

// Elastic force on A between the points p_1 of A and p_2 of B, along the axes of A.
// Twin: rbnotes.forces.frame_spring_forces(spring, E, phi).w, its force on the first body.
export function elasticForce(E, p, k) {
  const span = subtract(transformPoint(E[1], p[1]), transformPoint(E[0], p[0]));
  return scale(k, apply(transpose(rotation(E[0])), span));
}

// Parts of the variation of that force along displacements dx and rotations of the bodies, in their axes: the
// motion of the two points, and the turning of the force with A. The printed form has angular velocities in the
// place of `turns` in the first part. Twin: `printed` of the record lloyd/s0.22.1/e0.43#b, and with `turns` equal to
// the variations of the angles the right form, the derivative of rbnotes.forces.frame_spring_forces.
export function elasticForceVariation(E, p, k, dx, dtheta, turns) {
  const R = multiply(transpose(rotation(E[0])), rotation(E[1]));
  const first = subtract(cross(p[0], turns[0]), dx[0]), second = apply(R, subtract(dx[1], cross(p[1], turns[1])));
  return [scale(k, add(first, second)), cross(elasticForce(E, p, k), dtheta[0])];
}
