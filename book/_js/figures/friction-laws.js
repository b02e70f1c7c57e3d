// Friction against a sliding direction: the cone of Coulomb, a pyramid of four edges, and a box.
import { projectOnSection } from "../dynamics/contact.js";
import { add, dot, norm, scale } from "../dynamics/matrix.js";
import { Force, Parameter } from "./handles.js";

export const claim = null;
const MASS = 1, WEIGHT = 9.81, STEP = 0.02, SHOWN = 120;
const SECTIONS = { cone: "disc", pyramid: "pyramid", box: "box" };
const COLORS = { cone: "normal", pyramid: "moment", box: "tangent" };

const tex = (norm) => String.raw`\text{friction takes out most: } f = \operatorname*{arg\,max}_{x}\;(-v^\T x)
  \quad\text{with}\quad \term{size}{\|x\|_{${norm}}} \le \term{limit}{\mu f_n}`;
export const modes = {
  cone: { label: "cone", tex: tex("2") },
  pyramid: { label: "pyramid", tex: tex("1") },
  box: { label: "box", tex: tex(String.raw`\infty`) },
};
export const state = { v: [1.4, 0.6], x: [0, 0], mu: 0.2 };
export const poster = { state, mode: "box" };
export const handles = {
  v: Force({ at: ["v"], label: "sliding velocity", range: [[-1.6, 1.6], [-1.6, 1.6]], step: [0.1, 0.1], unit: ["m/s", "m/s"], tail: () => [0, 0] }),
  mu: Parameter({ at: ["mu"], label: "friction coefficient μ", range: [[0.1, 0.5]], step: [0.05] }),
};
export const terms = {
  size: { key: "size", unit: "N", kind: "force" },
  limit: { key: "limit", unit: "N", kind: "normal" },
};
export const numbers = [
  { label: "angle between friction and −v", key: "angle", unit: "°" },
  { label: "power taken out", key: "power", unit: "W" },
  { label: "by Coulomb’s law", key: "coulomb", unit: "W" },
];

// The impulse in a step: the nearest allowed one to that which would stop the puck.
function friction({ v, mu }, mode, h) {
  return scale(1 / h, projectOnSection(scale(-MASS, v), mu * MASS * WEIGHT * h, SECTIONS[mode]));
}

export function step(state, mode, h) {
  const v = add(state.v, scale(h / MASS, friction(state, mode, h)));
  return { ...state, v, x: add(state.x, scale(h, v)) };
}

function path(start, mode) {
  const points = [start.x];
  for (let now = start, i = 0; i < SHOWN; i++) points.push((now = step(now, mode, STEP)).x);
  return points;
}

const NORMS = { cone: norm, pyramid: (f) => Math.abs(f[0]) + Math.abs(f[1]), box: (f) => Math.max(...f.map(Math.abs)) };

export function evaluate(state, mode, running = false) {
  // In the shortest step, the friction of a puck that slides is on the border.
  const { v, mu } = state, force = friction(state, mode, 1e-4), speed = norm(v);
  const turned = speed > 0 ? Math.atan2(Math.abs(force[0] * v[1] - force[1] * v[0]), -dot(force, v)) : 0;
  return {
    force, size: NORMS[mode](force), limit: mu * MASS * WEIGHT, angle: (180 / Math.PI) * turned,
    power: -dot(force, v), coulomb: -dot(friction(state, "cone", 1e-4), v), speed,
    ...(running ? {} : Object.fromEntries(Object.keys(modes).map((each) => [each, path({ ...state, x: [0, 0] }, each)]))),
  };
}

export const status = (state, e) => (e.speed < 1e-9 ? "settled" : "");

const SCALE = 0.35; // m/s on the drawing for a newton
function outline(mode, r) {
  if (mode === "pyramid") return [[r, 0], [0, r], [-r, 0], [0, -r]];
  if (mode === "box") return [[r, r], [-r, r], [-r, -r], [r, -r]];
  return Array.from({ length: 60 }, (_, i) => [r * Math.cos((i * Math.PI) / 30), r * Math.sin((i * Math.PI) / 30)]);
}

function section({ v }, mode, e) {
  const shapes = [], f = scale(SCALE, e.force), opposite = e.speed > 0 ? scale(-1.8 / e.speed, v) : [0, 0];
  for (const each of Object.keys(modes)) {
    shapes.push({ line: outline(each, SCALE * e.limit), closed: true, kind: COLORS[each], curve: each === mode ? "fill" : "thin dashed" });
  }
  shapes.push({ line: [[0, 0], opposite], kind: "velocity", curve: "thin dashed" });
  shapes.push({ arrow: [[0, 0], v], kind: "velocity" }, { arrow: [[0, 0], f], kind: "force" });
  shapes.push({ text: "v", at: v, kind: "velocity", off: [-14, -12] }, { text: "friction", at: f, kind: "force", off: [0, f[1] > 0 ? -12 : 22] });
  return shapes;
}

function paths(state, mode, e, trace) {
  const shapes = [{ disc: [[0, 0], 3], curve: "head" }];
  const all = trace.length > 1 ? { [mode]: trace.map(({ state: { x } }) => x) } : e;
  const reach = Math.max(0.5, ...Object.keys(modes).flatMap((each) => (all[each] ?? []).flat().map(Math.abs)));
  const fit = scale.bind(null, 1.3 / reach);
  for (const each of Object.keys(modes).filter((one) => all[one])) {
    const points = all[each].map(fit), end = points.at(-1), side = end[0] < 0 ? -1 : 1;
    shapes.push({ line: points, kind: COLORS[each], curve: each === mode ? "" : "thin dashed" }, { disc: [end, 4], kind: COLORS[each] });
    shapes.push({ text: each, at: end, kind: COLORS[each], anchor: side < 0 ? "end" : "start", off: [9 * side, 5] });
  }
  return [...shapes, { text: "paths of a puck, seen from above", at: [0, 1.7], off: [0, 14], kind: "muted" }];
}

export const views = [
  { name: "section", box: [-2.2, -1.7, 2.2, 1.7], height: 260, draw: section },
  { name: "paths", box: [-2.2, -1.7, 2.2, 1.7], height: 260, draw: paths },
];
export const describe = (state, mode, e) =>
  `A puck slides at ${e.speed.toFixed(2)} m/s. The friction of the ${mode} is ${e.angle.toFixed(0)} degrees off the ` +
  `opposite of the velocity and takes out ${e.power.toFixed(2)} W, Coulomb’s ${e.coulomb.toFixed(2)} W.`;
