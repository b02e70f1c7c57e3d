import { norm, scale, solve } from "./matrix.js";

// Twin: rbnotes.constraints.velocity_target.
export const velocityTarget = (g, gamma) => scale(-gamma, g);

// Velocities v with M v = momentum + G^T z and G v = target. Twin: rbnotes.constraints.KKT.solve.
export function constrainedVelocity(M, momentum, G, target) {
  const n = M.length, rows = M.map((row, i) => [...row, ...G.map((each) => -each[i])]);
  rows.push(...G.map((each) => [...each, ...target.map(() => 0)]));
  return solve(rows, [...momentum, ...target]).slice(0, n);
}

// Twin: rbnotes.constraints.project_positions for a point at the distance L from the origin.
export const projectOnDistance = (x, L) => scale(L / norm(x), x);

