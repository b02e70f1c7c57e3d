import { add, apply, combine, cross, scale, solve } from "./matrix.js";
import { compose, exp } from "./se3.js";

// Twin: rbnotes.dynamics.gyroscopic_wrench.
export function gyroscopicWrench(M, phi) {
  const momentum = apply(M, phi), w = phi.slice(0, 3);
  const angular = momentum.slice(0, 3), linear = momentum.slice(3);
  return [...add(cross(angular, w), cross(linear, phi.slice(3))), ...cross(linear, w)];
}

// One step of a free body under a wrench in its frame. Twin: rbnotes.dynamics.symplectic_euler.
export function symplecticEuler(M, E, phi, wrench, h) {
  const next = add(phi, scale(h, solve(M, add(wrench, gyroscopicWrench(M, phi)))));
  return [compose(E, exp(scale(h, next))), next];
}

// Velocities v+ of (M - h D - h^2 K) v+ = (M - h D) v + h f. Twin: rbnotes.dynamics.linearly_implicit_velocity.
export function linearlyImplicitVelocity(M, v, f, K, D, h) {
  const mass = combine(1, M, -h, D);
  return solve(combine(1, mass, -h * h, K), add(apply(mass, v), scale(h, f)));
}

// Velocities v+ of (M - h/2 D - h^2/4 K) v+ = M v + h f^. Twin: rbnotes.dynamics.trapezoidal_problem.
export const trapezoidalVelocity = (M, v, f, K, D, h) => trapezoidalStep(M, v, f, K, D, h, h / 4);

// The same with the force as printed in Lloyd 0.9.3, whose last term has a factor h too many.
export const trapezoidalVelocityPrinted = (M, v, f, K, D, h) => trapezoidalStep(M, v, f, K, D, h, (h * h) / 4);

function trapezoidalStep(M, v, f, K, D, h, factor) {
  const force = add(add(f, scale(-1 / 2, apply(D, v))), scale(factor, apply(K, v)));
  return solve(combine(1, combine(1, M, -h / 2, D), (-h * h) / 4, K), add(apply(M, v), scale(h, force)));
}
