// A linear complementarity problem of two contacts: which cone q lies in says which contacts push.
import { enumerateLCP } from "../dynamics/contact.js";
import { scale } from "../dynamics/matrix.js";
import { axes } from "./drawing.js";
import { Point } from "./handles.js";

export const claim = null;
const MATRICES = {
  unique: [[2, 1], [1, 2]],
  several: [[1, 2], [2, 1]],
  none: [[1, -2], [-2, 1]],
};
const NAMES = ["neither pushes", "1 pushes", "2 pushes", "both push"];
const COLORS = ["normal", "position", "tangent", "moment"];

const tex = ([[a, b], [c, d]]) => String.raw`0 \le \term{z1}{z_1} \perp \term{w1}{w_1} \ge 0,\qquad 0 \le \term{z2}{z_2} \perp \term{w2}{w_2} \ge 0,
  \qquad w = \begin{pmatrix}${a} & ${b}\\ ${c} & ${d}\end{pmatrix} z + q`;
export const modes = {
  unique: { label: "positive definite", tex: tex(MATRICES.unique) },
  several: { label: "several solutions", tex: tex(MATRICES.several) },
  none: { label: "some have none", tex: tex(MATRICES.none) },
};
export const state = { q: [-1.2, -0.3] };
export const poster = { state, mode: "unique" };
export const handles = {
  q: Point({ at: ["q"], label: "q, velocities without impulses", range: [[-2, 2], [-2, 2]], step: [0.05, 0.05], unit: ["m/s", "m/s"] }),
};
export const terms = {
  z1: { key: "z1", unit: "N s", kind: "force" },
  w1: { key: "w1", unit: "m/s", kind: "velocity" },
  z2: { key: "z2", unit: "N s", kind: "force" },
  w2: { key: "w2", unit: "m/s", kind: "velocity" },
};
export const numbers = [{ label: "number of solutions", key: "count", digits: 0 }];

export function evaluate({ q }, mode) {
  const solutions = enumerateLCP(MATRICES[mode], q), index = solutions.findIndex((each) => each !== null);
  const { z, w } = solutions[index] ?? { z: [0, 0], w: q };
  return {
    z, w, z1: z[0], z2: z[1], w1: w[0], w2: w[1], q,
    count: solutions.filter((each) => each !== null).length,
    cones: solutions.map((each) => (each === null ? 0 : 1)),
  };
}

// The cone of a set of pushing contacts is spanned by their columns of -A and the unit vectors of the others.
function cone(A, k) {
  const column = (i) => (k & (i + 1) ? scale(-1, [A[0][i], A[1][i]]) : [+(i === 0), +(i === 1)]);
  return [column(0), column(1)].map((each) => scale(5 / Math.max(...each.map(Math.abs)), each));
}

function cones(state, mode, e) {
  const shapes = [], A = MATRICES[mode];
  for (let k = 0; k < 4; k++) {
    const [first, second] = cone(A, k), kind = COLORS[k];
    shapes.push({ line: [[0, 0], first, [first[0] + second[0], first[1] + second[1]], second], closed: true, kind, curve: e.cones[k] ? "fill solved" : "fill faint" });
  }
  for (let k = 0; k < 4; k++) {
    const [first, second] = cone(A, k), x = first[0] + second[0], y = first[1] + second[1], size = 1.35 / Math.max(Math.abs(x), Math.abs(y), 1e-9);
    if (mode === "unique") shapes.push({ text: NAMES[k], at: [x * size, y * size], kind: COLORS[k] });
  }
  shapes.push(...axes([-2.1, -2.1, 2.1, 2.1], "q₁", "q₂", [0, 0]), { arrow: [[0, 0], state.q] });
  if (e.count === 0) shapes.push({ text: "in no cone", at: state.q, off: [0, -18], kind: "wrong" });
  return shapes;
}

// A rod above the ground: velocities of its ends before and after, and the impulses between.
function rod(state, mode, e) {
  const shapes = [{ line: [[-1.6, 0], [1.6, 0]], curve: "world" }, { line: [[-1, 0.12], [1, 0.12]], kind: "body-a", curve: "cable" }];
  [-1, 1].forEach((x, i) => {
    shapes.push({ arrow: [[x - 0.25, 0.12], [0, 0.6 * e.q[i]]], curve: "thin" }, { text: "q", at: [x - 0.25, 0.12 + 0.6 * e.q[i]], off: [-10, 5] });
    if (e.count === 0) return;
    shapes.push({ arrow: [[x, -0.02 - 0.6 * e.z[i]], [0, 0.6 * e.z[i]]], kind: "force" });
    shapes.push({ arrow: [[x + 0.25, 0.12], [0, 0.6 * e.w[i]]], kind: "velocity" });
    if (e.z[i] > 0) shapes.push({ text: "z", at: [x, -0.6 * e.z[i]], off: [-12, 4], kind: "force" });
    if (e.w[i] > 0) shapes.push({ text: "w", at: [x + 0.25, 0.12 + 0.6 * e.w[i]], off: [12, 5], kind: "velocity" });
    shapes.push({ text: `${i + 1}`, at: [x, 0.12], off: [0, -10], kind: "body-a" });
  });
  if (e.count === 0) shapes.push({ text: "no impulses keep the ends above the ground", at: [0, 1.3], kind: "wrong" });
  return shapes;
}

export const views = [
  { name: "cones", box: [-2.2, -2.2, 2.2, 2.2], height: 300, draw: cones },
  { name: "rod", box: [-1.8, -1.9, 1.8, 1.6], height: 300, draw: rod },
];
export const describe = ({ q }, mode, e) =>
  `Two contacts with the velocities ${q.map((each) => each.toFixed(2)).join(" and ")} m/s without impulses: ` +
  `${e.count} solution${e.count === 1 ? "" : "s"}, ${NAMES.filter((_, k) => e.cones[k]).join("; ") || "none"}.`;
