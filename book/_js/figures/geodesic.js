// From one orientation to another: the geodesic, rotation vectors in proportion, and entries of matrices in proportion.
import { add, apply, combine, cross, dot, norm, scale, subtract, transpose } from "../dynamics/matrix.js";
import { exp, interpolate } from "../dynamics/so3.js";
import { axes } from "./drawing.js";
import { Direction, Parameter } from "./handles.js";

export const claim = null;
const START = [0.9, -0.4, 0.6], SHOWN = 60, STEP = 1e-4, DURATION = 3; // rad; s of a run
const COLORS = { geodesic: "normal", vectors: "tangent", entries: "wrong" };
// The drawing looks from the direction of the third row.
const VIEW = [[-0.6, 0.8, 0], [-0.32, -0.24, 0.916515138991168]];

export const modes = {
  geodesic: { label: "geodesic", tex: String.raw`R(t) = R_0\exp\bigl(t\,\log(R_0^\T R_1)\bigr),\qquad \term{determinant}{\det R}` },
  vectors: { label: "rotation vectors", tex: String.raw`R(t) = \exp\bigl[(1-t)\,w_0 + t\,w_1\bigr],\qquad \term{determinant}{\det R}` },
  entries: { label: "entries", tex: String.raw`R(t) = \wrong{(1-t)\,R_0 + t\,R_1},\qquad \term{determinant}{\det R}` },
};
export const state = { azimuth: 0.5, elevation: 0.4, angle: 2.6, t: 0.5 };
export const poster = { state, mode: "entries" };
export const handles = {
  azimuth: Direction({ at: ["azimuth"], label: "direction of the axis of the second orientation", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: 1.15, center: () => [0, 0] }),
  elevation: Parameter({ at: ["elevation"], label: "its elevation", range: [[-1.5, 1.5]], step: [0.1], unit: "rad" }),
  angle: Parameter({ at: ["angle"], label: "its angle", range: [[0, 3.1]], step: [0.1], unit: "rad" }),
  t: Parameter({ at: ["t"], label: "t", range: [[0, 1]], step: [0.05] }),
};
export const terms = { determinant: { key: "determinant", unit: "", kind: "moment" } };
export const numbers = [
  { label: "speed of the tips of the axes, slowest over fastest", key: "evenness" },
  { label: "length of the shortest axis", key: "shortest" },
];

const vectorOf = ({ azimuth, elevation, angle }) =>
  scale(angle, [Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation)]);

function at(state, mode, t) {
  const w = vectorOf(state);
  if (mode === "vectors") return exp(add(scale(1 - t, START), scale(t, w)));
  return mode === "geodesic" ? interpolate(exp(START), exp(w), t) : combine(1 - t, exp(START), t, exp(w));
}

// The size of the rate of the matrix, by a difference quotient.
function speed(state, mode, t) {
  const [before, after] = [t - STEP, t + STEP].map((each) => at(state, mode, each));
  return norm(after.flatMap((row, i) => subtract(row, before[i]))) / (2 * STEP);
}

export const step = (state, mode, h) => ({ ...state, t: Math.min(1, state.t + h / DURATION) });
export const status = ({ t }) => (t >= 1 ? "settled" : "");

export function evaluate(state, mode, running = false) {
  const R = at(state, mode, state.t), lengths = transpose(R).map(norm);
  const now = { R, determinant: dot(R[0], cross(R[1], R[2])), shortest: Math.min(...lengths) };
  if (running) return { ...now, evenness: 0 };
  const speeds = Array.from({ length: SHOWN + 1 }, (_, i) => speed(state, mode, i / SHOWN));
  const determinants = Array.from({ length: SHOWN + 1 }, (_, i) => at(state, mode, i / SHOWN)).map((each) => dot(each[0], cross(each[1], each[2])));
  return { ...now, evenness: Math.min(...speeds) / Math.max(1e-9, ...speeds), speeds, determinants };
}

const project = (p) => VIEW.map((row) => dot(row, p));
const triad = (R, curve, kinds = ["x", "y", "z"]) => transpose(R).map((axis, i) => ({ arrow: [[0, 0], project(axis)], kind: kinds[i], curve }));

function scene(state, mode, e) {
  const ring = Array.from({ length: 73 }, (_, i) => [Math.cos((i * Math.PI) / 36), Math.sin((i * Math.PI) / 36)]);
  const times = Array.from({ length: SHOWN + 1 }, (_, i) => i / SHOWN), path = times.map((t) => transpose(at(state, mode, t)));
  const paths = ["x", "y", "z"].map((kind, i) => ({ line: path.map((each) => project(each[i])), kind, curve: "thin" }));
  return [
    { line: ring, closed: true, kind: "muted", curve: "thin dashed" }, ...triad(at(state, mode, 0), "thin", ["muted", "muted", "muted"]),
    ...triad(at(state, mode, 1), "thin", ["muted", "muted", "muted"]), ...paths, ...triad(e.R, ""),
    ...transpose(e.R).map((axis, i) => ({ text: "xyz"[i], at: scale(1.12, project(axis)), kind: "xyz"[i], off: [0, 4] })),
  ];
}

// Over t: the speed, and the determinant.
function plot(state, mode, e) {
  const frame = axes([0, 0, 1, 1.15], "t", "determinant");
  if (!e.speeds) return [...frame, { disc: [[state.t, Math.max(0, e.determinant)], 5], kind: COLORS[mode], curve: "head" }];
  const most = Math.max(1e-9, ...e.speeds);
  return [
    ...frame, { line: e.speeds.map((each, i) => [i / SHOWN, each / most]), kind: "velocity", curve: "thin" },
    { line: e.determinants.map((each, i) => [i / SHOWN, Math.max(-0.1, each)]), kind: COLORS[mode] },
    { text: "speed over the largest", at: [1, e.speeds.at(-1) / most], anchor: "end", off: [0, -6], kind: "velocity" }, { disc: [[state.t, Math.max(-0.1, e.determinant)], 5], kind: COLORS[mode], curve: "head" },
  ];
}

export const views = [
  { name: "scene", box: [-1.35, -1.2, 1.35, 1.2], height: 302, draw: scene },
  { name: "plot", box: [-0.05, -0.2, 1.05, 1.3], height: 302, draw: plot },
];
export const describe = (state, mode, e) =>
  `Three axes between two orientations by ${modes[mode].label}, at t = ${state.t.toFixed(2)}. The determinant is ${e.determinant.toFixed(2)}, the shortest axis ${e.shortest.toFixed(2)} long.`;
