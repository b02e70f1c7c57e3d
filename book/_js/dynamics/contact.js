import { apply, norm, scale, solve, subtract } from "./matrix.js";

// The nearest friction impulse that a law allows: `section` is disc, pyramid (of four edges) or box.
// Twin: rbnotes.friction.bounded_friction.project_on_section.
export function projectOnSection(impulse, limit, section) {
  if (section === "box") return impulse.map((each) => Math.min(Math.max(each, -limit), limit));
  if (section === "disc") {
    const size = norm(impulse);
    return size > limit ? scale(limit / size, impulse) : [...impulse];
  }
  const [x, y] = impulse.map(Math.abs);
  if (x + y <= limit) return [...impulse];
  const along = Math.min(Math.max((limit + x - y) / 2, 0), limit);
  return [Math.sign(impulse[0]) * along, Math.sign(impulse[1]) * (limit - along)];
}

// All solutions of 0 <= z, w = A z + b >= 0, z w = 0 in the order of the sets of positive z: neither, first,
// second, both. Null where a set has none. Twin: rbnotes.complementarity.enumeration, which returns the first.
export function enumerateLCP(A, b) {
  const sets = [[], [0], [1], [0, 1]];
  return sets.map((set) => {
    const z = [0, 0];
    if (set.length === 1) z[set[0]] = -b[set[0]] / A[set[0]][set[0]];
    if (set.length === 2) solve(A, scale(-1, b)).forEach((each, i) => (z[i] = each));
    const w = subtract(apply(A, z), scale(-1, b)).map((each, i) => (set.includes(i) ? 0 : each));
    return Math.min(...z) >= 0 && Math.min(...w) >= 0 && [...z, ...w].every(Number.isFinite) ? { z, w } : null;
  });
}
