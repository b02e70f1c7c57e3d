// How the direction of a spring changes with its end: (S 1.62) for points, printed and right. With the tension
// k l, both parts together are the matrix of (S 1.37), which an implicit step needs.
import { linearlyImplicitVelocity } from "../dynamics/integrate.js";
import { add, apply, dot, norm, scale } from "../dynamics/matrix.js";
import { planar } from "../dynamics/se3.js";
import * as springs from "../dynamics/springs.js";
import { axes } from "./drawing.js";
import { Direction, Parameter, Point } from "./handles.js";

export const claim = "sueda/s1.9.5/e1.62";
const LIMIT = 2.4, MASS = 1, E = [planar([0, 0, 0]), planar([0, 0, 0])];

const tex = (sign) => String.raw`\frac{\partial u}{\partial x}\,\delta = \frac1l\bigl(u u^\T ${sign} I\bigr)\delta
  = \term{formula}{\delta u},\qquad (M - h^2 K)\,v^+ = M v + h f,\quad K = ${sign === "-" ? "-" : String.raw`\wrong{+}`}k I`;
export const modes = {
  printed: { label: "printed", tex: tex(String.raw`\wrong{+}`) },
  right: { label: "right", tex: tex("-") },
};

export const state = { x: [1.2, 0.5], v: [0, 0], delta: 2, k: 10, h: 0.1 };
export const poster = { state, mode: "printed" };
export const handles = {
  x: Point({ at: ["x"], label: "end of the spring", range: [[0.3, 2], [-1, 1]], step: [0.05, 0.05], unit: ["m", "m"] }),
  delta: Direction({ at: ["delta"], label: "direction of the displacement", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: 0.55, center: ({ x }) => x }),
  k: Parameter({ at: ["k"], label: "stiffness k", range: [[1, 40]], step: [1], unit: "N/m" }),
  h: Parameter({ at: ["h"], label: "step h", range: [[0.02, 0.2]], step: [0.02], unit: "s" }),
};
export const terms = { formula: { key: "formula", unit: "per m", kind: "force" } };
export const numbers = [
  { label: "by the formula", key: "formula", unit: "per m", kind: "force" },
  { label: "by difference quotient", key: "quotient", unit: "per m", kind: "position" },
  { label: "difference", key: "difference", unit: "per m", kind: "wrong" },
];

const ends = ({ x }) => [[0, 0, 0], [...x, 0]];
const unit = (x) => scale(1 / norm(x), x);
// Rows and columns of the moving end in the plane.
const block = (K) => [9, 10].map((i) => [K[i][9], K[i][10]]);

// Derivative of the direction u of the pull on the moving end, which points to the fixed end.
function jacobian(state, mode) {
  const l = norm(state.x), u = unit(state.x);
  const second = (mode === "printed" ? springs.pointStiffnessPrinted : springs.pointStiffness)(E, ends(state), 1 / l);
  return block(second).map((row, i) => row.map((each, j) => each + (u[i] * u[j]) / l));
}

export function step(state, mode) {
  const { x, v, k, h } = state;
  const K = block((mode === "printed" ? springs.pointStiffnessPrinted : springs.pointStiffness)(E, ends(state), k));
  const M = [[MASS, 0], [0, MASS]], D = [[0, 0], [0, 0]];
  const next = linearlyImplicitVelocity(M, v, scale(-k, x), K, D, h);
  return { ...state, v: next, x: add(x, scale(h, next)) };
}

function distances(start, mode) {
  let now = start;
  return Array.from({ length: 41 }, (_, i) => {
    if (i > 0 && Math.abs(dot(now.x, unit(start.x))) < LIMIT) now = step(now, mode);
    return dot(now.x, unit(start.x));
  });
}

export function evaluate(state, mode, running = false) {
  const { x, delta } = state, d = [Math.cos(delta), Math.sin(delta)], e = 1e-6;
  const change = apply(jacobian(state, mode), d);
  const exact = scale(1 / (2 * e), add(unit(add(x, scale(-e, d))), scale(-1, unit(add(x, scale(e, d))))));
  const formula = dot(change, d), quotient = dot(exact, d);
  return {
    change, exact, formula, quotient, difference: formula - quotient, length: norm(x),
    ...(running ? {} : { printed: distances(state, "printed"), right: distances(state, "right") }),
  };
}

export function status(state, e) {
  if (!Number.isFinite(e.length) || e.length > 3) return "diverged";
  return e.length < 0.01 && norm(state.v) < 0.02 ? "settled" : "";
}

function scene(state, mode, e, trace) {
  const { x, delta } = state, d = [Math.cos(delta), Math.sin(delta)], kind = mode === "printed" ? "wrong" : "right";
  if (trace.length > 1) {
    return [
      { disc: [[0, 0], 4], curve: "head" }, { spring: [[0, 0], x], curve: "thin" },
      { line: trace.map(({ state: { x: was } }) => was), kind, curve: "thin dashed" }, { disc: [x, 6], kind: "body-b" },
    ];
  }
  const shapes = [{ spring: [[0, 0], x], curve: "thin" }, { disc: [[0, 0], 4], curve: "head" }];
  shapes.push({ arrow: [x, scale(0.55, d)], kind: "velocity" }, { text: "δ", at: add(x, scale(0.55, d)), kind: "velocity", off: [-18, 5] });
  shapes.push({ arrow: [x, scale(0.55, e.exact)], kind: "position" }, { arrow: [x, scale(0.55, e.change)], kind });
  shapes.push({ text: "δu", at: add(x, scale(0.55, e.change)), kind, off: [16, 8] });
  return shapes;
}

function plot(state, mode, e, trace) {
  const time = 40 * state.h, shapes = [...axes([0, -2.3, 1, 2.3], "", "distance [m]")];
  shapes.push({ text: `40 steps of implicit Euler: ${time.toFixed(1)} s`, at: [1, -2.3], anchor: "end", off: [0, -4], kind: "muted" });
  const curve = (values) => values.map((y, i) => [i / 40, y]).filter((_, i) => values.slice(0, i + 1).every((y) => Math.abs(y) < 2.3));
  if (trace.length > 1) {
    const u = unit(trace[0].state.x), points = curve(trace.slice(-41).map(({ state: { x } }) => dot(x, u)));
    return [...shapes, { line: points, kind: mode === "printed" ? "wrong" : "right" }];
  }
  for (const name of ["printed", "right"]) {
    const kind = name === "printed" ? "wrong" : "right", points = curve(e[name]);
    shapes.push({ line: points, kind, curve: name === mode ? "" : "thin dashed" });
    shapes.push({ text: name, at: points.at(name === "printed" ? -1 : Math.min(20, points.length - 1)), kind, anchor: "start", off: name === "printed" ? [8, 14] : [0, -8] });
  }
  return shapes;
}

export const views = [
  { name: "scene", box: [-0.4, -1.3, 2.6, 1.3], height: 230, draw: scene },
  { name: "plot", box: [-0.04, -2.5, 1.03, 2.5], height: 230, draw: plot },
];
export const describe = (state, mode, e) =>
  `A spring from the origin to a point ${e.length.toFixed(2)} m away. Along the displacement, its direction changes by ` +
  `${e.formula.toFixed(2)} per metre by the ${mode} form and by ${e.quotient.toFixed(2)} by the difference quotient.`;
