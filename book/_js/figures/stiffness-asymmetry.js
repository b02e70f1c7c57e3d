// A force that is constant in the world, on a body that moves: its stiffness matrix in body axes, symmetrized, and in world axes.
import { add, apply, norm, scale, subtract, transpose } from "../dynamics/matrix.js";
import { compose, exp, planar, planarPose } from "../dynamics/se3.js";
import { directionalForce, rotateToWorld } from "../dynamics/springs.js";
import { format, offset, rectangle } from "./drawing.js";
import { Body, Force, Parameter } from "./handles.js";

export const claim = "sueda/s1.9.2/t395#a";
const POINT = [0.5, 0.3, 0], SIZE = [1.2, 0.7], UNIT = 0.3, STEP = 1e-5, PLANE = [2, 3, 4], NAMES = ["θ", "x", "y"], PARTS = ["τ", "fx", "fy"];

const rest = String.raw`,\qquad K - K^\T = `;
const zero = String.raw`\term{asymmetry}{0}`;
export const modes = {
  exact: { label: "body axes", tex: String.raw`K = \frac{\partial w}{\partial\xi}${rest}\term{asymmetry}{\begin{pmatrix}[\tau] & [f]\\ [f] & 0\end{pmatrix}}` },
  symmetrized: { label: "symmetrized", tex: String.raw`\wrong{\tfrac12(K + K^\T)}${rest}${zero}` },
  world: { label: "world axes", tex: String.raw`K^W${rest}\term{asymmetry}{\begin{pmatrix}-[\tau^W] & 0\\ 0 & 0\end{pmatrix}}` },
};
export const state = { pose: [-0.5, -0.4, 0.4], force: [0.4, 2.2], turn: 0.5, shift: 0.3 };
export const poster = { state, mode: "symmetrized" };
const tail = ({ pose }) => offset(pose, POINT);
export const handles = {
  body: Body({ at: ["pose"], label: "body", range: [[-0.9, 0.9], [-0.7, 0.5], [-3.1, 3.1]], step: [0.05, 0.05, 0.05], unit: ["m", "m", "rad"], radius: 0.6, phase: Math.PI }),
  force: Force({ at: ["force"], label: "force", range: [[-3, 3], [-3, 3]], step: [0.1, 0.1], unit: ["N", "N"], tail, length: UNIT }),
  turn: Parameter({ at: ["turn"], label: "rotation of the body", range: [[-1, 1]], step: [0.05], unit: "rad" }),
  shift: Parameter({ at: ["shift"], label: "displacement along x", range: [[-0.6, 0.6]], step: [0.05], unit: "m" }),
};
export const terms = { asymmetry: { key: "asymmetry", unit: "N", kind: "moment" } };
export const numbers = [
  { label: "largest error of the matrix against the difference quotient", key: "error", unit: "N" },
  { label: "error of the force predicted for the move", key: "force_error", unit: "N" },
  { label: "error of the torque predicted for it", key: "twisted", unit: "N m" },
];

// The move as a twist: a rotation in the plane and a displacement, along the axes of the body.
const move = ({ turn, shift }, part = 1) => [0, 0, part * turn, part * shift, 0, 0];
const planarPart = (K) => PLANE.map((i) => PLANE.map((j) => K[i][j]));
const forcesAt = (E, state, mode) => {
  const force = directionalForce([...state.force, 0], E, POINT);
  return mode === "world" ? rotateToWorld(force, E) : force;
};

// The pose after a small displacement along coordinate j, in the axes of the mode.
function displaced(E, mode, j, by) {
  const xi = PLANE.map((_, k) => (k === j ? by : 0));
  if (mode !== "world") return compose(E, exp([0, 0, ...xi, 0]));
  const [x, y, angle] = planarPose(E);
  return planar([x + xi[1], y + xi[2], angle + xi[0]]);
}

export function evaluate(state, mode) {
  const E = planar(state.pose), { w, K } = forcesAt(E, state, mode), full = planarPart(K);
  const exact = transpose(PLANE.map((_, j) => {
    const [before, after] = [-STEP, STEP].map((by) => forcesAt(displaced(E, mode, j, by), state, mode).w);
    return scale(1 / (2 * STEP), subtract(after, before)).slice(2, 5);
  }));
  const matrix = mode === "symmetrized" ? full.map((row, i) => row.map((each, j) => (each + full[j][i]) / 2)) : full;
  const skew = matrix.map((row, i) => row.map((each, j) => each - matrix[j][i]));
  const end = compose(E, exp(move(state))), after = forcesAt(end, state, mode).w.slice(2, 5);
  const [x, y] = subtract(planarPose(end).slice(0, 2), state.pose.slice(0, 2));
  const change = mode === "world" ? [state.turn, x, y] : move(state).slice(2, 5);
  const predicted = add(w.slice(2, 5), apply(matrix, change));
  return {
    wrench: w.slice(2, 5), matrix, skew, predicted, after, asymmetry: Math.max(...skew.flat().map(Math.abs)),
    error: Math.max(...matrix.flatMap((row, i) => subtract(row, exact[i])).map(Math.abs)),
    force_error: norm(subtract(predicted, after).slice(1)), twisted: Math.abs(predicted[0] - after[0]),
  };
}

function scene(state, mode, e) {
  const end = planarPose(compose(planar(state.pose), exp(move(state)))), kind = mode === "symmetrized" ? "wrong" : "right";
  const [at, there] = [state.pose, end].map((pose) => offset(pose, POINT)), along = mode === "world" ? [0, 0, 0] : end;
  const arrow = (tail, f, kind, curve) => ({ arrow: [tail, scale(UNIT, f)], kind, curve });
  const predicted = offset([0, 0, along[2]], e.predicted.slice(1)), tip = add(there, scale(UNIT * 1.18, predicted));
  return [
    { ...rectangle(state.pose, ...SIZE, "muted") }, { ...rectangle(end, ...SIZE, "body-a") }, { line: [at, there], kind: "muted", curve: "thin dashed" },
    arrow(at, state.force, "force", "thin"), arrow(there, state.force, "force"), arrow(there, predicted, kind), { disc: [at, 3], curve: "head" }, { disc: [there, 4], curve: "head" },
    { text: "predicted", at: tip, kind, off: [0, 4] }, { text: "force", at: add(at, scale(UNIT, state.force)), kind: "force", anchor: "start", off: [14, 6] }, { text: "moved", at: end, kind: "body-a", off: [0, 4] },
  ];
}

// The matrix and its difference to the transpose; entries that make it asymmetric are filled.
function plot(state, mode, e) {
  const grid = (left, title, rows, marked) => [
    { text: title, at: [left + 1.5, 3.75], kind: "ink" },
    ...NAMES.map((name, j) => ({ text: name, at: [left + j + 0.5, 3.2], kind: "muted" })),
    ...rows.flatMap((row, i) => row.flatMap((value, j) => [
      { line: [[0, 0], [0.94, 0], [0.94, 0.94], [0, 0.94]].map(([x, y]) => [left + j + x, 2 - i + y]), closed: true, kind: marked(i, j) ? "moment" : "muted", curve: marked(i, j) ? "fill" : "thin" },
      { text: format(value), at: [left + j + 0.47, 2.47 - i], off: [0, 4], kind: marked(i, j) ? "moment" : "ink" },
    ])),
  ];
  const skewed = (i, j) => Math.abs(e.skew[i][j]) > 1e-9;
  return [
    ...PARTS.map((name, i) => ({ text: name, at: [-0.1, 2.47 - i], anchor: "end", off: [-2, 4], kind: "muted" })),
    ...grid(0, mode === "symmetrized" ? "½(K + Kᵀ)" : "K", e.matrix, skewed), ...grid(3.6, "K − Kᵀ", e.skew, skewed),
    { text: "columns: rotation, displacements; rows: torque, forces", at: [3.2, -0.45], kind: "muted" },
  ];
}

export const views = [
  { name: "scene", box: [-1.8, -1.4, 1.8, 1.6], draw: scene },
  { name: "plot", box: [-0.75, -0.8, 6.75, 4.2], height: 283, draw: plot },
];
export const describe = (state, mode, e) =>
  `A body with a force that is constant in the world, in ${modes[mode].label}. The largest entry of K minus its transpose is ${e.asymmetry.toFixed(2)}. ` +
  `After the move, the predicted force is off by ${e.force_error.toFixed(2)} N.`;
