// A pendulum whose rod is a constraint on velocities: drift, Baumgarte's target and projection of the positions.
import { add, norm, scale } from "../dynamics/matrix.js";
import { constrainedVelocity, projectOnDistance, velocityTarget } from "../dynamics/stabilization.js";
import { axes } from "./drawing.js";
import { Direction, Parameter } from "./handles.js";

export const claim = "sueda/s1.12/e1.82#a";
const MASS = 1, GRAVITY = [0, -9.81], LENGTH = 1, SHOWN = 160, FAR = 3;
const COLORS = { nothing: "wrong", baumgarte: "tangent", projection: "normal" };

const tex = (target, after) => String.raw`M v^+ = M v + h f + G^\T\lambda,\qquad G v^+ = ${target},\qquad x^+ = ${after}`;
const next = String.raw`x + h v^+`;
export const modes = {
  nothing: { label: "nothing", tex: tex("0", next) },
  baumgarte: { label: "Baumgarte", tex: tex(String.raw`\term{target}{-\gamma\, g(x)}`, next) },
  projection: { label: "projection", tex: tex("0", String.raw`\operatorname{proj}(${next})`) },
};
export const state = { x: [1, 0], v: [0, 0], rate: 0.2, h: 0.04 };
export const poster = { state, mode: "nothing" };
const angle = ({ x }) => Math.atan2(x[1], x[0]);
const turned = (state, a) => ({ ...state, v: [0, 0], x: [LENGTH * Math.cos(a), LENGTH * Math.sin(a)] });
export const handles = {
  angle: Direction({ read: angle, write: turned, label: "angle of the pendulum at the start", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: LENGTH, center: () => [0, 0] }),
  rate: Parameter({ at: ["rate"], label: "γh", range: [[0, 2.6]], step: [0.1] }),
  h: Parameter({ at: ["h"], label: "step h", range: [[0.01, 0.08]], step: [0.01], unit: "s" }),
};
export const terms = { target: { key: "target", unit: "m/s", kind: "velocity" } };
export const numbers = [
  { label: "error of the length, now", key: "g", unit: "m" },
  { label: "largest in the plot", key: "largest", unit: "m" },
];

export function step(state, mode) {
  const { x, v, rate, h } = state, length = norm(x), G = [scale(1 / length, x)];
  const target = mode === "baumgarte" ? velocityTarget([length - LENGTH], rate / h) : [0];
  const momentum = add(scale(MASS, v), scale(h * MASS, GRAVITY));
  const after = constrainedVelocity([[MASS, 0], [0, MASS]], momentum, G, target), moved = add(x, scale(h, after));
  return { ...state, v: after, x: mode === "projection" ? projectOnDistance(moved, LENGTH) : moved };
}

const isFar = (x) => !(norm(x) < FAR && norm(x) > 0.05);

function errors(start, mode) {
  const values = [norm(start.x) - LENGTH];
  for (let now = start, i = 0; i < SHOWN; i++) {
    if (!isFar(now.x)) now = step(now, mode);
    values.push(norm(now.x) - LENGTH);
  }
  return values;
}

export function evaluate(state, mode, running = false) {
  const g = norm(state.x) - LENGTH, target = -(state.rate / state.h) * g;
  if (running) return { g, target, largest: Math.abs(g), length: norm(state.x) };
  const all = Object.fromEntries(Object.keys(modes).map((each) => [each, errors(state, each)]));
  return { g, target, largest: Math.max(...all[mode].map(Math.abs)), length: norm(state.x), ...all };
}

export const status = (state) => (isFar(state.x) ? "diverged" : "");

function scene(state, mode, e, trace) {
  const ring = Array.from({ length: 73 }, (_, i) => [LENGTH * Math.cos((i * Math.PI) / 36), LENGTH * Math.sin((i * Math.PI) / 36)]);
  const shapes = [{ line: ring, curve: "thin dashed muted" }, { disc: [[0, 0], 4], curve: "head" }];
  shapes.push({ line: [[0, 0], state.x], kind: COLORS[mode] });
  if (trace.length > 1) shapes.push({ line: trace.map(({ state: { x } }) => x), kind: COLORS[mode], curve: "thin" });
  return [...shapes, { disc: [state.x, 8], kind: COLORS[mode] }];
}

function plot(state, mode, e, trace) {
  const clip = (values) => values.slice(0, values.findIndex((y) => Math.abs(y) > 0.55) >>> 0);
  const shapes = axes([0, -0.5, SHOWN, 0.55], "160 steps", "error of the length [m]");
  if (trace.length > 1) {
    const values = clip(trace.slice(-SHOWN).map(({ e: { g } }) => g));
    return [...shapes, { line: values.map((y, i) => [i, y]), kind: COLORS[mode] }];
  }
  for (const each of Object.keys(modes)) {
    const values = clip(e[each]), curve = each === mode ? "" : "thin";
    shapes.push({ line: values.map((y, i) => [i, y]), kind: COLORS[each], curve });
  }
  const names = Object.keys(modes).map((each, i) => ({ text: modes[each].label, at: [SHOWN, -0.22 - 0.11 * i], anchor: "end", kind: COLORS[each] }));
  return [...shapes, ...names];
}

export const views = [
  { name: "scene", box: [-1.7, -1.6, 1.7, 1.1], height: 270, draw: scene },
  { name: "plot", box: [-3, -0.58, 165, 0.6], height: 270, draw: plot },
];
export const describe = (state, mode, e) =>
  `A pendulum, ${(100 * e.g).toFixed(1)} cm too long. With ${modes[mode].label} its error reaches ${(100 * e.largest).toFixed(1)} cm.`;
