// An oscillator by four schemes: the path in the plane of position and velocity, and the error of a run.
import { linearlyImplicitVelocity, trapezoidalVelocity, trapezoidalVelocityPrinted } from "../dynamics/integrate.js";
import { axes } from "./drawing.js";
import { Parameter, Point } from "./handles.js";

export const claim = "lloyd/s0.9.3/d4";
const DURATION = 6, BOX = [-2.1, -2.1, 2.1, 2.1], FAR = 20;
const COLORS = { symplectic: "position", implicit: "tangent", trapezoidal: "normal", printed: "wrong" };

const trapezoidal = (factor) => String.raw`\hat M v^+ = M v + h\bigl(f - \tfrac12 D v + ${factor}K v\bigr),\qquad x^+ = x + \tfrac h2(v + v^+),\qquad \term{error}{\text{error}}`;
export const modes = {
  symplectic: { label: "symplectic Euler", tex: String.raw`M v^+ = M v + h f,\qquad x^+ = x + h v^+,\qquad \term{error}{\text{error}}` },
  implicit: { label: "implicit Euler", tex: String.raw`(M - hD - h^2K)\,v^+ = (M - hD)\,v + hf,\qquad x^+ = x + h v^+,\qquad \term{error}{\text{error}}` },
  trapezoidal: { label: "trapezoidal rule", tex: trapezoidal(String.raw`\tfrac h4`) },
  printed: { label: "trapezoidal, printed", tex: trapezoidal(String.raw`\wrong{\tfrac{h^2}4}`) },
};
export const state = { y: [1.5, 0], h: 0.4, d: 0 };
export const poster = { state, mode: "trapezoidal" };
export const handles = {
  y: Point({ at: ["y"], label: "position and velocity at the start", range: [[-1.9, 1.9], [-1.9, 1.9]], step: [0.1, 0.1], unit: ["m", "m/s"] }),
  h: Parameter({ at: ["h"], label: "step h", range: [[0.1, 1.5]], step: [0.1], unit: "s" }),
  d: Parameter({ at: ["d"], label: "damping", range: [[0, 0.4]], step: [0.05], unit: "N s/m" }),
};
export const terms = { error: { key: "error", unit: "m", kind: "position" } };
export const numbers = [
  { label: "error at the end with half the step", key: "half", unit: "m", digits: 4 },
  { label: "error, divided by that", key: "ratio" },
  { label: "energy at the end", key: "energy", unit: "J" },
];

// One step of the mass of 1 kg on a spring of 1 N/m and a damper.
function next([x, v], d, h, mode) {
  const f = -x - d * v, K = [[-1]], D = [[-d]], M = [[1]];
  if (mode === "symplectic") return [x + h * (v + h * f), v + h * f];
  if (mode === "implicit") {
    const [after] = linearlyImplicitVelocity(M, [v], [f], K, D, h);
    return [x + h * after, after];
  }
  const [after] = (mode === "printed" ? trapezoidalVelocityPrinted : trapezoidalVelocity)(M, [v], [f], K, D, h);
  return [x + (h / 2) * (v + after), after];
}

export const step = (state, mode, h) => ({ ...state, y: next(state.y, state.d, h, mode) });

function path({ y, d, h }, mode, count) {
  const points = [y];
  for (let i = 0; i < count; i++) points.push(next(points[i], d, h, mode));
  return points;
}

// The motion itself: a damped oscillation.
function exact({ y: [x, v], d }, t) {
  const w = Math.sqrt(1 - (d * d) / 4), c = Math.cos(w * t), s = Math.sin(w * t) / w, decay = Math.exp((-d * t) / 2);
  return [decay * (x * c + (v + (d / 2) * x) * s), decay * (v * c - (x + (d / 2) * v) * s)];
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const energy = ([x, v]) => (x * x + v * v) / 2;

export function evaluate(state, mode, running = false) {
  if (running) return { error: 0, half: 0, ratio: 0, energy: energy(state.y), path: [state.y] };
  const count = Math.round(DURATION / state.h), points = path(state, mode, count), end = exact(state, count * state.h);
  const halved = path({ ...state, h: state.h / 2 }, mode, 2 * count), error = distance(points[count], end), half = distance(halved[2 * count], end);
  return { error, half, ratio: half > 1e-9 ? error / half : 0, energy: energy(points[count]), path: points };
}

export const status = (state) => (Math.hypot(...state.y) > FAR ? "diverged" : "");

function plane(state, mode, e, trace) {
  const samples = Array.from({ length: 121 }, (_, i) => exact(state, (i * DURATION) / 120));
  const points = trace.length > 1 ? trace.map((each) => each.state.y) : e.path;
  return [
    ...axes(BOX, "position", "velocity", [0, 0]), ...(trace.length > 1 ? [] : [{ line: samples, kind: "muted", curve: "thin dashed" }]),
    { line: points, kind: COLORS[mode] }, ...points.slice(-60).map((y) => ({ disc: [y, 3], kind: COLORS[mode], curve: "head" })),
  ];
}

function plot(state, mode, e, trace) {
  const points = trace.length > 1 ? trace.map((each) => each.state.y) : e.path, start = energy(points[0]), most = points.length - 1;
  const values = points.map((y, i) => [i / Math.max(1, most), Math.min(2.2, energy(y) / Math.max(1e-9, start))]);
  const shapes = axes([0, 0, 1, 2.2], trace.length > 1 ? "time" : `${DURATION} s`, "energy over that at the start");
  const motion = Array.from({ length: 61 }, (_, i) => [i / 60, energy(exact(state, (i * most * state.h) / 60)) / Math.max(1e-9, start)]);
  return [...shapes, ...(trace.length > 1 ? [] : [{ line: motion, kind: "muted", curve: "thin dashed" }]), { line: values, kind: COLORS[mode] }];
}

export const views = [
  { name: "scene", box: BOX, draw: plane },
  { name: "plot", box: [-0.05, -0.25, 1.05, 2.4], height: 340, draw: plot },
];
export const describe = (state, mode, e) =>
  `An oscillator by the ${modes[mode].label} with steps of ${state.h.toFixed(1)} s. After six seconds the error is ${e.error.toFixed(3)} m, with half the step ${e.half.toFixed(3)} m.`;
