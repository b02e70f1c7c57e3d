// Two constraints, one after the other: the impulses of both as a point that each sweep moves.
import { dot } from "../dynamics/matrix.js";
import { jacobi, printedSweep, residual, sweep } from "../dynamics/gauss_seidel.js";
import { axes } from "./drawing.js";
import { Parameter, Point } from "./handles.js";

export const claim = "lloyd/s0.15/d2#b";
const SOLUTION = [0.6, 0.4], SHOWN = 12, SMALL = 1e-4, BOX = [-2, -1.6, 2.6, 2.1];
const SWEEPS = { seidel: sweep, jacobi, printed: printedSweep };
const COLORS = { seidel: "normal", jacobi: "tangent", printed: "wrong" };

const tex = (sign, other) => String.raw`\lambda_i^{(k+1)} = \frac1{a_{ii}}\Bigl(b_i ${sign} \sum_{j\ne i}a_{ij}\lambda_j^{${other}}\Bigr),
  \qquad \term{residual}{\max_i\lvert b_i - (A\lambda)_i\rvert}`;
export const modes = {
  seidel: { label: "Gauss-Seidel", tex: tex("-", String.raw`\text{latest}`) },
  jacobi: { label: "Jacobi", tex: tex("-", "(k)") },
  printed: { label: "printed", tex: tex(String.raw`\wrong{+}`, String.raw`\text{latest}`) },
};
export const state = { x: [-1.5, 1.6], coupling: 0.7, h: 0.5 };
export const poster = { state, mode: "seidel" };
export const handles = {
  x: Point({ at: ["x"], label: "impulses at the start", range: [[-1.8, 2.4], [-1.4, 1.9]], step: [0.1, 0.1], unit: ["N s", "N s"] }),
  coupling: Parameter({ at: ["coupling"], label: "coupling a₁₂ of the constraints", range: [[-0.95, 0.95]], step: [0.05], unit: "1/kg" }),
};
export const terms = { residual: { key: "largest", unit: "m/s", kind: "velocity" } };
export const numbers = [
  { label: "error after 12 sweeps", key: "end", unit: "m/s", digits: 4 },
  { label: "factor per sweep", key: "factor" },
];

const matrix = ({ coupling }) => [[1, coupling], [coupling, 1]];
const sides = (A) => A.map((row) => dot(row, SOLUTION));
const errorOf = (A, x) => Math.max(...residual(A, sides(A), x).map(Math.abs));

// The sweep runs on its own time: a step of the clock is one sweep.
export function step(state, mode) {
  const A = matrix(state);
  return { ...state, x: SWEEPS[mode](A, sides(A), state.x) };
}

function path(start, mode) {
  const points = [start.x];
  for (let now = start, i = 0; i < SHOWN; i++) points.push((now = step(now, mode)).x);
  return points;
}

export function evaluate(state, mode, running = false) {
  const A = matrix(state), largest = errorOf(A, state.x);
  if (running) return { largest, end: largest, factor: factorOf(state, mode), x: state.x };
  const paths = Object.fromEntries(Object.keys(modes).map((each) => [each, path(state, each)]));
  const errors = Object.fromEntries(Object.keys(modes).map((each) => [`error_${each}`, paths[each].map((x) => errorOf(A, x))]));
  return { largest, end: errors[`error_${mode}`][SHOWN], factor: factorOf(state, mode), x: state.x, ...paths, ...errors };
}

// The largest eigenvalue of the iteration for two rows.
const factorOf = ({ coupling }, mode) => (mode === "jacobi" ? Math.abs(coupling) : coupling ** 2);

export function status(state, e) {
  if (e.largest < SMALL) return "settled";
  const next = step(state, "printed").x;
  return Math.hypot(next[0] - state.x[0], next[1] - state.x[1]) < SMALL ? "settled" : "";
}

// Gauss-Seidel moves along one axis after the other, Jacobi along both at once.
const corners = (points, mode) =>
  mode === "jacobi" ? points : points.flatMap((x, i) => (i ? [[x[0], points[i - 1][1]], x] : [x]));

function plane(state, mode, e, trace) {
  const c = state.coupling, [b1, b2] = sides(matrix(state)), points = trace.length > 1 ? trace.map(({ state: { x } }) => x) : e[mode];
  const rows = [
    { line: [[b1 - c * BOX[1], BOX[1]], [b1 - c * BOX[3], BOX[3]]], kind: "body-a" },
    { line: [[BOX[0], b2 - c * BOX[0]], [BOX[2], b2 - c * BOX[2]]], kind: "body-b" },
    { text: "row 1", at: [b1 + c * 1.3, -1.3], anchor: "end", off: [-8, 0], kind: "body-a" },
    { text: "row 2", at: [2.5, b2 - c * 2.5], anchor: "end", off: [0, -8], kind: "body-b" },
  ];
  return [
    ...axes(BOX, "λ₁", "λ₂", [0, 0]), ...rows, { line: corners(points, mode), kind: COLORS[mode] },
    ...points.map((x) => ({ disc: [x, 3], kind: COLORS[mode], curve: "head" })), { disc: [SOLUTION, 6], kind: "ink", curve: "head" },
  ];
}

const exponent = (error) => Math.max(-5, Math.log10(Math.max(error, 1e-9)));

function plot(state, mode, e, trace) {
  const shapes = axes([0, -5, SHOWN, 1.2], `${SHOWN} sweeps`, "error, m/s (powers of ten)", [0, -5]);
  const lines = trace.length > 1 ? { [mode]: trace.slice(-SHOWN - 1).map((each) => each.e.largest) } : Object.fromEntries(Object.keys(modes).map((each) => [each, e[`error_${each}`]]));
  for (const [each, errors] of Object.entries(lines)) {
    shapes.push({ line: errors.map((error, i) => [i, exponent(error)]), kind: COLORS[each], curve: each === mode ? "" : "thin" });
  }
  return [...shapes, ...Object.keys(modes).map((each, i) => ({ text: modes[each].label, at: [0.4, -3.3 - 0.6 * i], anchor: "start", kind: COLORS[each] }))];
}

export const views = [
  { name: "scene", box: BOX, draw: plane },
  { name: "plot", box: [-0.5, -5.6, SHOWN + 0.5, 1.4], height: 270, draw: plot },
];
export const describe = (state, mode, e) =>
  `The impulses of two constraints. With ${modes[mode].label} the error is ${e.largest.toFixed(2)} m/s at the start and ${e.end.toFixed(4)} m/s after ${SHOWN} sweeps.`;
