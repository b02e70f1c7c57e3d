// Two boxes on a spring with a damper: the force of (S 1.66), printed and right.
import { symplecticEuler } from "../dynamics/integrate.js";
import { planar, planarPose } from "../dynamics/se3.js";
import * as springs from "../dynamics/springs.js";
import { axes, offset, rectangle } from "./drawing.js";
import { Body, Parameter } from "./handles.js";

export const claim = "sueda/s1.9.6/e1.66";
export const SIZE = [0.44, 0.3], MASS = 1, LIMIT = 4;
const INERTIA = [[1, 0.3], [1, 0.3], SIZE].map(([a, b]) => (MASS * (a * a + b * b)) / 12);
export const M = [...INERTIA, MASS, MASS, MASS].map((each, i) => Array.from({ length: 6 }, (_, j) => (i === j ? each : 0)));
export const ENDS = [[SIZE[0] / 2, 0.05, 0], [-SIZE[0] / 2, 0.05, 0]];
const STEP = 0.02, SHOWN = 100, EVERY = 3;
const TOP = 2.4; // curves end below the name of the axis

const tex = (damper, first, second) => String.raw`f_s = \term{spring}{k\frac{l - L}{L}}\;${damper}\;\term{damper}{d\frac{\dot l}{L}},
  \qquad \mathsf f_n = \frac1l\begin{pmatrix}${first}\Gamma_1^\T R_1^\T\Delta x\\ ${second}\Gamma_2^\T R_2^\T\Delta x\end{pmatrix}`;
export const modes = {
  printed: { label: "printed", tex: tex(String.raw`\wrong{-}`, String.raw`\wrong{-}`, String.raw`\wrong{+}`) },
  right: { label: "right", tex: tex("+", "+", "-") },
};

export const state = {
  pose: [[-0.75, 0, 0], [0.75, 0, 0]],
  twist: [[0, 0, 0], [0, 0, 0]],
  k: 2, d: 0.5, L: 0.6,
};
const apart = (state, v) => ({ ...state, twist: [[0, -v / 2, 0], [0, v / 2, 0]] });
export const poster = { state: apart(state, 0.5), mode: "printed" };

export const handles = {
  left: Body({ at: ["pose", 0], label: "left box", range: [[-1.5, -0.3], [-0.6, 0.6], [-1.6, 1.6]], step: [0.05, 0.05, 0.05], unit: ["m", "m", "rad"], radius: 0.42, phase: Math.PI / 2 }),
  box: Body({ at: ["pose", 1], label: "right box", range: [[0.3, 1.5], [-0.6, 0.6], [-1.6, 1.6]], step: [0.05, 0.05, 0.05], unit: ["m", "m", "rad"], radius: 0.42, phase: Math.PI / 2 }),
  v: Parameter({ read: ({ twist: v }) => 2 * v[1][1], write: apart, label: "velocity apart", range: [[-2, 2]], step: [0.1], unit: "m/s" }),
  d: Parameter({ at: ["d"], label: "damping d", range: [[0, 2]], step: [0.1], unit: "N s" }),
};

export const terms = {
  spring: { key: "spring", unit: "N", kind: "position" },
  damper: { key: "damper", unit: "N", kind: "velocity" },
};
export const numbers = [
  { label: "pull by the formula", key: "pull", unit: "N", kind: "force" },
  { label: "by difference quotients", key: "quotient", unit: "N" },
  { label: "difference", key: "difference", unit: "N", kind: "wrong" },
];

const twist = ([w, x, y]) => [0, 0, w, x, y, 0];
const wrenches = (mode) => (mode === "printed" ? springs.springDamperWrenchesPrinted : springs.springDamperWrenches);

export function step(state, mode, h) {
  const E = state.pose.map(planar), phi = state.twist.map(twist);
  const w = wrenches(mode)(E, ENDS, phi, state.k, state.d, state.L);
  const next = E.map((pose, i) => symplecticEuler(M, pose, phi[i], w[i], h));
  return { ...state, pose: next.map(([pose]) => planarPose(pose)), twist: next.map(([, v]) => [v[2], v[3], v[4]]) };
}

function lengths(start, mode) {
  let now = start;
  return Array.from({ length: SHOWN + 1 }, (_, i) => {
    if (i > 0) for (let k = 0; k < EVERY; k++) now = measure(now).length < LIMIT ? step(now, mode, STEP) : now;
    return measure(now).length;
  });
}
const measure = ({ pose, twist: v }) => springs.segment(pose.map(planar), ENDS, v.map(twist));

export function evaluate(state, mode, running = false) {
  const { k, d, L } = state, { length, rate, span } = measure(state);
  const tension = mode === "printed" ? springs.printedTension : springs.springDamper;
  const pull = (mode === "printed" ? -1 : 1) * tension(k, d, L)(length, rate);
  const energy = (l) => (k * (l - L) ** 2) / (2 * L), loss = (v) => (d * v * v) / (2 * L), e = 1e-4;
  const quotient = (energy(length + e) - energy(length - e) + loss(rate + e) - loss(rate - e)) / (2 * e);
  return {
    spring: (k * (length - L)) / L, damper: (d * rate) / L, length, rate, pull, quotient, difference: pull - quotient,
    force: span.slice(0, 2).map((each) => (pull * each) / length),
    ...(running ? {} : { printed: lengths(state, "printed"), right: lengths(state, "right") }),
  };
}

export function status({ k, L }, { length, rate }) {
  if (!Number.isFinite(length) || length > LIMIT - 1 || length < 0.02) return "diverged";
  return (k * (length - L) ** 2) / (2 * L) + (MASS * rate * rate) / 4 < 1e-4 ? "settled" : "";
}

function scene({ pose }, mode, e) {
  const tips = pose.map((each, i) => offset(each, ENDS[i]));
  const shapes = pose.map((each, i) => rectangle(each, ...SIZE, i ? "body-b" : "body-a"));
  shapes.push({ spring: tips, curve: "thin" }, ...tips.map((at) => ({ disc: [at, 3], curve: "head" })));
  const arrows = [0.4 * e.force[0], 0.4 * e.force[1]];
  const kind = mode === "printed" ? "force wrong" : "force";
  shapes.push({ arrow: [tips[0], arrows], kind }, { arrow: [tips[1], arrows.map((x) => -x)], kind });
  return shapes;
}

const TIME = SHOWN * EVERY * STEP;
function plot(state, mode, e, trace) {
  const curve = (name) => e[name].map((l, i) => [i * EVERY * STEP, l]).filter(([, l]) => l < TOP);
  const shapes = [...axes([0, 0, TIME, 3], "time [s]", "length l [m]")];
  shapes.push({ line: [[0, state.L], [TIME, state.L]], curve: "thin dashed muted" });
  shapes.push({ text: "rest length L", at: [TIME, state.L], anchor: "end", off: [0, -6], kind: "muted" });
  if (trace.length < 2) {
    for (const name of ["printed", "right"]) {
      shapes.push({ line: curve(name), kind: name === "printed" ? "wrong" : "right", curve: name === mode ? "" : "thin dashed" });
      const at = curve(name).findLast(([t, l]) => t < (name === "printed" ? 4 : 1.4));
      shapes.push({ text: name, at, anchor: "start", off: name === "printed" ? [8, 0] : [6, -10], kind: name === "printed" ? "wrong" : "right" });
    }
    return shapes;
  }
  const last = trace.at(-1), late = Math.max(0, last.time - TIME);
  shapes.push({ line: trace.filter(({ time }) => time >= late).map(({ time, e: now }) => [time - late, Math.min(now.length, TOP)]), kind: mode === "printed" ? "wrong" : "right" });
  shapes.push({ disc: [[last.time - late, Math.min(last.e.length, TOP)], 4], curve: "head" });
  return shapes;
}

export const views = [
  { name: "scene", box: [-1.4, -0.7, 1.4, 0.7], draw: scene },
  { name: "plot", box: [-0.3, -0.35, 6.2, 3.2], height: 170, draw: plot },
];

export const describe = (state, mode, e) =>
  `Two boxes ${e.length.toFixed(2)} m apart on a spring of rest length ${state.L} m. ` +
  `With the ${mode} form, the force ${e.pull < 0 ? "pushes them apart" : "draws them together"} with ${Math.abs(e.pull).toFixed(2)} N.`;
