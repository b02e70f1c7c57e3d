// A four-bar: two rows for its angles leave one motion, the null space of the rows.
import { fourBar, loopError, loopRows, nullVector } from "../dynamics/loop.js";
import { norm, scale } from "../dynamics/matrix.js";
import { axes } from "./drawing.js";
import { Direction, Parameter } from "./handles.js";

export const claim = null;
const CRANK = 0.5, ROCKER = 1.2, GROUND = 1.5, UNIT = 0.5, STEP = 1e-5, SHOWN = 120, TINY = 1e-6;

const tex = String.raw`G\,\dot\theta = 0,\qquad \dot\theta = \begin{pmatrix}1 \\ \term{coupler}{\dot\theta_2/\dot\theta_1} \\ \term{rocker}{\dot\theta_3/\dot\theta_1}\end{pmatrix}\dot\theta_1,\qquad \tau_1 = -\tfrac{\dot\theta_3}{\dot\theta_1}\,\tau_3`;
export const modes = { open: { label: "open", tex }, crossed: { label: "crossed", tex } };
export const state = { angle: 0.9, coupler: 1.4, torque: 2 };
export const poster = { state, mode: "open" };
export const handles = {
  angle: Direction({ at: ["angle"], label: "angle of the crank", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: CRANK, center: () => [0, 0] }),
  coupler: Parameter({ at: ["coupler"], label: "length of the coupler", range: [[0.6, 2.2]], step: [0.05], unit: "m" }),
  torque: Parameter({ at: ["torque"], label: "torque on the rocker", range: [[-4, 4]], step: [0.2], unit: "N m" }),
};
export const terms = {
  coupler: { key: "coupler", unit: "", kind: "body-b" },
  rocker: { key: "rocker", unit: "", kind: "body-c" },
};
export const numbers = [
  { label: "rate of the rocker by difference quotient", key: "quotient" },
  { label: "torque on the crank that balances", key: "balance", unit: "N m" },
  { label: "gap of the loop", key: "gap", unit: "m" },
];

const lengthsOf = ({ coupler }) => [CRANK, coupler, ROCKER, GROUND];
const sideOf = (mode) => (mode === "open" ? 1 : -1);
const anglesAt = (state, mode, angle) => fourBar(lengthsOf(state), angle, sideOf(mode));
const turn = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

// The rates of coupler and rocker over that of the crank; zero where the crank cannot drive them.
function ratesOf(state, angles) {
  const N = nullVector(loopRows(lengthsOf(state), angles));
  return Math.abs(N[0]) > TINY ? scale(1 / N[0], N) : [1, 0, 0];
}

export const step = (state, mode, h) => ({ ...state, angle: turn(state.angle + h) });
export const status = (state, e) => (e.gap > TINY ? "diverged" : "");

export function evaluate(state, mode, running = false) {
  const angles = anglesAt(state, mode, state.angle), rates = ratesOf(state, angles), gap = norm(loopError(lengthsOf(state), angles));
  const [before, after] = [-STEP, STEP].map((by) => anglesAt(state, mode, state.angle + by)[2]);
  const now = { angles, coupler: rates[1], rocker: rates[2], quotient: gap > TINY ? rates[2] : turn(after - before) / (2 * STEP), balance: -rates[2] * state.torque, gap };
  if (running) return now;
  const turns = Array.from({ length: SHOWN + 1 }, (_, i) => -Math.PI + (2 * Math.PI * i) / SHOWN).map((angle) => {
    const each = anglesAt(state, mode, angle);
    return norm(loopError(lengthsOf(state), each)) > TINY ? 0 : ratesOf(state, each)[2];
  });
  return { ...now, turns };
}

function scene(state, mode, e) {
  const lengths = lengthsOf(state), at = (start, i) => start.map((each, k) => each + lengths[i] * [Math.cos, Math.sin][k](e.angles[i]));
  const pin = at([0, 0], 0), end = at(pin, 1), tip = at([GROUND, 0], 2), across = (angle, size) => [-size * Math.sin(angle), size * Math.cos(angle)];
  return [
    { line: [[0, 0], [GROUND, 0]], kind: "muted", curve: "dashed" }, { line: [[0, 0], pin], kind: "body-a" }, { line: [pin, end], kind: "body-b" }, { line: [[GROUND, 0], tip], kind: "body-c" },
    { arrow: [pin, across(e.angles[0], UNIT * CRANK)], kind: "velocity" }, { arrow: [tip, across(e.angles[2], UNIT * ROCKER * Math.max(-3, Math.min(3, e.rocker)))], kind: "velocity" },
    ...[[0, 0], [GROUND, 0], pin, end, tip].map((each) => ({ disc: [each, 5], curve: "head" })),
    { text: "crank", at: [0, 0], off: [-4, 22], kind: "body-a" }, { text: "rocker", at: [GROUND, 0], off: [10, 22], kind: "body-c" },
  ];
}

function plot(state, mode, e) {
  const frame = axes([-Math.PI, -1.6, Math.PI, 1.6], "angle of the crank", "rate of the rocker over that of the crank", [-Math.PI, 0]);
  const bound = (rate) => Math.max(-1.6, Math.min(1.6, rate)), marker = { disc: [[state.angle, bound(e.rocker)], 5], kind: "body-c", curve: "head" };
  return e.turns ? [...frame, { line: e.turns.map((rate, i) => [-Math.PI + (2 * Math.PI * i) / SHOWN, bound(rate)]), kind: "body-c" }, marker] : [...frame, marker];
}

export const views = [
  { name: "scene", box: [-0.8, -1.5, 2.9, 1.6], draw: scene },
  { name: "plot", box: [-3.3, -1.8, 3.3, 1.9], height: 285, draw: plot },
];
export const describe = (state, mode, e) =>
  `A four-bar with the crank at ${state.angle.toFixed(2)} rad. The rocker turns ${e.rocker.toFixed(2)} times as fast as the crank; a torque of ${state.torque.toFixed(1)} N m on it needs ${e.balance.toFixed(2)} N m on the crank.`;
