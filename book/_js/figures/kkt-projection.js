// A constraint becomes active: the velocity jumps to the nearest admissible one, in the norm of the masses.
import { dot, subtract } from "../dynamics/matrix.js";
import { constrainedVelocity } from "../dynamics/stabilization.js";
import { axes } from "./drawing.js";
import { Direction, Parameter, Point } from "./handles.js";

export const claim = "lloyd/s0.5/d7";
const BOX = [-2.2, -1.9, 2.2, 1.9], VIEW = [-2.4, -2.2, 2.4, 2.3], COLORS = { masses: "normal", plain: "wrong" };

const tex = (middle) => String.raw`\dot x' = \dot x ${middle},\qquad \term{along}{t\cdot M(\dot x' - \dot x)}`;
export const modes = {
  masses: { label: "norm of the masses", tex: tex(String.raw`- M^{-1}G^\T\left(GM^{-1}G^\T\right)^{-1}G\,\dot x`) },
  plain: { label: "plain distance", tex: tex(String.raw`\wrong{{}- G^\T\left(GG^\T\right)^{-1}}G\,\dot x`) },
};
export const state = { v: [0.6, 1.6], angle: -0.8, mass: 4 };
export const poster = { state, mode: "masses" };
export const handles = {
  v: Point({ at: ["v"], label: "velocities before", range: [[-2, 2], [-1.8, 1.8]], step: [0.1, 0.1], unit: ["m/s", "m/s"] }),
  angle: Direction({ at: ["angle"], label: "direction of the admissible velocities", range: [[-1.5, 1.5]], step: [0.05], unit: "rad", radius: 1.8, center: () => [0, 0] }),
  mass: Parameter({ at: ["mass"], label: "mass of body 2 (body 1 has 1 kg)", range: [[0.25, 8]], step: [0.25], unit: "kg" }),
};
export const terms = { along: { key: "along", unit: "N s", kind: "force" } };
export const numbers = [
  { label: "energy of the change", key: "energy", unit: "J" },
  { label: "least possible", key: "least", unit: "J" },
  { label: "energy lost", key: "loss", unit: "J" },
];

const energy = (M, v) => M.reduce((sum, row, i) => sum + (row[i] * v[i] ** 2) / 2, 0);
const rowOf = ({ angle }) => [-Math.sin(angle), Math.cos(angle)];

function after(state, masses) {
  return constrainedVelocity(masses, masses.map((row, i) => row[i] * state.v[i]), [rowOf(state)], [0]);
}

export function evaluate(state, mode) {
  const M = [[1, 0], [0, state.mass]], tangent = [Math.cos(state.angle), Math.sin(state.angle)];
  const right = after(state, M), shown = mode === "masses" ? right : after(state, [[1, 0], [0, 1]]);
  const change = subtract(shown, state.v), impulse = [change[0], state.mass * change[1]];
  return {
    after: shown, impulse, along: dot(tangent, impulse), energy: energy(M, change), least: energy(M, subtract(right, state.v)),
    loss: energy(M, state.v) - energy(M, shown),
  };
}

// All velocities whose change has the same energy as the change to the nearest one.
function ring({ v, mass }, least) {
  const radius = Math.sqrt(2 * least);
  return Array.from({ length: 73 }, (_, i) => [v[0] + radius * Math.cos((i * Math.PI) / 36), v[1] + (radius / Math.sqrt(mass)) * Math.sin((i * Math.PI) / 36)]);
}

function velocities(state, mode, e) {
  const along = [2.6 * Math.cos(state.angle), 2.6 * Math.sin(state.angle)];
  return [
    ...axes(BOX, "velocity of body 1", "velocity of body 2", [0, 0]), { line: [along.map((each) => -each), along], kind: "body-a" },
    { text: "G v = 0", at: along.map((each) => -0.75 * each), kind: "body-a", off: [36, -4] },
    { line: ring(state, e.least), closed: true, kind: "muted", curve: "thin dashed" },
    { arrow: [state.v, subtract(e.after, state.v)], kind: COLORS[mode] }, { disc: [e.after, 5], kind: COLORS[mode], curve: "head" },
    { text: "before", at: state.v, off: [0, 22] }, { text: "after", at: e.after, off: [0, 20], kind: COLORS[mode] },
  ];
}

// The impulse, with its parts along the row of the constraint and along the admissible velocities.
function impulses(state, mode, e) {
  const normal = rowOf(state), part = dot(normal, e.impulse), size = Math.max(1e-9, Math.hypot(...e.impulse));
  const row = normal.map((each) => (1.7 * each)), tip = e.impulse.map((each) => (1.5 * each) / size);
  return [
    { line: [row.map((each) => -each), row], kind: "body-a" }, { text: "direction of Gᵀ", at: row, kind: "body-a", off: [0, row[1] < 0 ? 16 : -8] },
    { line: [normal.map((each) => (1.5 * part * each) / size), tip], kind: "force", curve: "thin dashed" },
    { arrow: [[0, 0], tip], kind: COLORS[mode] }, { text: "impulse M(v′ − v)", at: tip, kind: COLORS[mode], off: [0, tip[1] < 0 ? 32 : -24] },
  ];
}

export const views = [
  { name: "scene", box: VIEW, draw: velocities },
  { name: "impulses", box: VIEW, draw: impulses },
];
export const describe = (state, mode, e) =>
  `Velocities of two bodies before and after a constraint becomes active. In the ${modes[mode].label} the change has an energy of ${e.energy.toFixed(2)} J, ` +
  `the least possible is ${e.least.toFixed(2)} J; the impulse along the admissible velocities is ${e.along.toFixed(2)} N s.`;
