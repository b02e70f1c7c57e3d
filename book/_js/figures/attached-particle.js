// A particle on the line between two others: its force and its mass go to the masters.
import { lumpedMass, reducedForce, reducedMass } from "../dynamics/attachments.js";
import { add, dot, norm, scale, solve } from "../dynamics/matrix.js";
import { axes } from "./drawing.js";
import { Force, Parameter } from "./handles.js";

export const claim = "lloyd/s0.17/e0.21";
const ENDS = [[-1.2, 0], [1.2, 0]], ONES = [[1, 0], [0, 1]], UNIT = 0.3, COLORS = { reduced: "normal", lumped: "wrong" };

const tex = (mass) => String.raw`\mathbf v_\beta = w_1\mathbf v_1 + w_2\mathbf v_2,\qquad M' = M_{\alpha\alpha} + ${mass},\qquad \term{effective}{m_\text{eff}} = \bigl(w^\T M'^{-1}w\bigr)^{-1}`;
export const modes = {
  reduced: { label: "reduced", tex: tex(String.raw`m\,w w^\T`) },
  lumped: { label: "lumped", tex: tex(String.raw`\wrong{m\operatorname{diag}(w)}`) },
};
export const state = { s: 0.5, f: [0.6, 2.4], mass: 3 };
export const poster = { state, mode: "reduced" };
const place = ({ s }) => add(scale(1 - s, ENDS[0]), scale(s, ENDS[1]));
export const handles = {
  f: Force({ at: ["f"], label: "force on the attached particle", range: [[-4, 4], [-4, 4]], step: [0.2, 0.2], unit: ["N", "N"], tail: place, length: UNIT }),
  s: Parameter({ at: ["s"], label: "place of the particle", range: [[0, 1]], step: [0.05] }),
  mass: Parameter({ at: ["mass"], label: "mass of the particle (the ends have 1 kg)", range: [[0, 8]], step: [0.5], unit: "kg" }),
};
export const terms = { effective: { key: "effective_mass", unit: "kg", kind: "force" } };
export const numbers = [
  { label: "acceleration of the particle", key: "size", unit: "m/s²" },
  { label: "force by which the whole system contradicts it", key: "residual", unit: "N" },
];

const weights = (s) => [1 - s, s];
const massOf = (s, mass, mode) => (mode === "reduced" ? reducedMass : lumpedMass)(ONES, mass, weights(s));
const effectiveMass = (s, mass, mode) => 1 / dot(weights(s), solve(massOf(s, mass, mode), weights(s)));

export function evaluate({ s, f, mass }, mode) {
  const w = weights(s), M = massOf(s, mass, mode), forces = reducedForce(w, f);
  const [x, y] = [0, 1].map((axis) => solve(M, forces.map((each) => each[axis])));
  const accelerations = [[x[0], y[0]], [x[1], y[1]]], own = add(scale(w[0], accelerations[0]), scale(w[1], accelerations[1]));
  // The force of the attachment on the particle, and the imbalance of the forces on the ends with its reaction.
  const reaction = add(scale(mass, own), scale(-1, f)), imbalance = w.map((each, i) => norm(add(accelerations[i], scale(each, reaction))));
  return { accelerations, own, size: norm(own), forces, effective_mass: effectiveMass(s, mass, mode), residual: Math.max(...imbalance) };
}

function scene(state, mode, e) {
  const at = place(state);
  const ends = ENDS.flatMap((end, i) => [
    { disc: [end, 9], kind: "body-a" }, { arrow: [end, scale(UNIT, e.forces[i])], kind: "force", curve: "thin" },
    { arrow: [end, scale(UNIT, e.accelerations[i])], kind: COLORS[mode] },
  ]);
  return [
    { line: ENDS, kind: "muted", curve: "thin dashed" }, ...ends, { arrow: [at, scale(UNIT, e.own)], kind: COLORS[mode] },
    { arrow: [at, scale(UNIT, state.f)], kind: "force" }, { disc: [at, 6 + state.mass / 2], kind: "body-b" },
    { text: "force", at: add(at, scale(UNIT, state.f)), kind: "force", off: [24, 4] },
    { text: "accelerations", at: [-1.6, -1.05], anchor: "start", kind: COLORS[mode] }, { text: "forces on the ends", at: [-1.6, -1.22], anchor: "start", kind: "force" },
  ];
}

// The effective mass at the particle, over the place of the particle.
function plot(state, mode, e) {
  const most = 2 + state.mass, line = (each) => Array.from({ length: 41 }, (_, i) => [i / 40, effectiveMass(i / 40, state.mass, each)]);
  return [
    ...axes([0, 0, 1, 1.1 * most], "place of the particle", "effective mass at the particle [kg]"),
    ...Object.keys(modes).map((each) => ({ line: line(each), kind: COLORS[each], curve: each === mode ? "" : "thin" })),
    ...Object.keys(modes).map((each, i) => ({ text: modes[each].label, at: [0.5, (0.35 - 0.12 * i) * most], kind: COLORS[each] })),
    { disc: [[state.s, e.effective_mass], 5], kind: COLORS[mode], curve: "head" },
  ].map((shape) => scaled(shape, most));
}

// The plot has a fixed box, whatever the masses are.
function scaled(shape, most) {
  const to = ([x, y]) => [x, y / most];
  if (shape.line) return { ...shape, line: shape.line.map(to) };
  if (shape.arrow) return { ...shape, arrow: shape.arrow.map(to) };
  return shape.disc ? { ...shape, disc: [to(shape.disc[0]), shape.disc[1]] } : { ...shape, at: to(shape.at) };
}

export const views = [
  { name: "scene", box: [-1.7, -1.35, 1.7, 1.35], draw: scene },
  { name: "plot", box: [-0.05, -0.12, 1.05, 1.2], height: 270, draw: plot },
];
export const describe = (state, mode, e) =>
  `A particle of ${state.mass.toFixed(1)} kg between two of 1 kg, with a force on it. With the ${modes[mode].label} mass it accelerates by ${e.size.toFixed(2)} m/s²; ` +
  `the effective mass at the particle is ${e.effective_mass.toFixed(2)} kg.`;
