// One twist and one wrench in two frames: the adjoint of a twist, its transpose for a wrench, and the power.
import { dot } from "../dynamics/matrix.js";
import { inverse, planar, transformTwist, transformWrench } from "../dynamics/se3.js";
import { offset } from "./drawing.js";
import { Body, Force, Parameter } from "./handles.js";

export const claim = "si/s3/d3#a";
const LENGTH = 0.55; // m on the drawing for 1 m/s and 1 N

const tex = (operator) => String.raw`{}^1\phi = \Ad_E^{-1}\,{}^0\phi,\qquad {}^1 w = ${operator}\,{}^0 w,
  \qquad \term{outer}{{}^0 w\cdot{}^0\phi} \;\text{and}\; \term{inner}{{}^1 w\cdot{}^1\phi}`;
export const modes = {
  wrench: { label: "wrench as wrench", tex: tex(String.raw`\Ad_E^\T`) },
  twist: { label: "wrench like a twist", tex: tex(String.raw`\wrong{\Ad_E^{-1}}`) },
};
export const state = { pose: [1, -0.3, 0.4], v: [0.5, 0.6], omega: 0.8, f: [-0.6, 0.9], torque: 0.3 };
export const poster = { state, mode: "wrench" };
const origin = () => [0, 0];
const arrow = (name, label, unit) => Force({ at: [name], label, range: [[-1.2, 1.2], [-1.2, 1.2]], step: [0.1, 0.1], unit: [unit, unit], tail: origin, length: LENGTH });
const number = (name, label, unit) => Parameter({ at: [name], label, range: [[-2, 2]], step: [0.1], unit });
export const handles = {
  pose: Body({ at: ["pose"], label: "frame 1", range: [[-1.6, 1.6], [-1, 1], [-3.1, 3.1]], step: [0.05, 0.05, 0.05], unit: ["m", "m", "rad"], radius: 0.62 }),
  v: arrow("v", "velocity of the body at the origin of frame 0", "m/s"),
  f: arrow("f", "force", "N"),
  omega: number("omega", "spin ω", "rad/s"),
  torque: number("torque", "moment τ", "N m"),
};
export const terms = {
  outer: { key: "outer", unit: "W", kind: "normal" },
  inner: { key: "inner", unit: "W", kind: "normal" },
};
export const numbers = [
  { label: "moment about frame 1", key: "moment", unit: "N m", kind: "moment" },
  { label: "difference of the powers", key: "difference", unit: "W", kind: "wrong" },
];

export function evaluate({ pose, v, omega, f, torque }, mode) {
  const back = inverse(planar(pose)), phi = [0, 0, omega, ...v, 0], wrench = [0, 0, torque, ...f, 0];
  const twist = transformTwist(back, phi), moved = (mode === "twist" ? transformTwist : transformWrench)(back, wrench);
  const outer = dot(wrench, phi), inner = dot(moved, twist);
  return { twist, wrench: moved, outer, inner, difference: inner - outer, moment: moved[2], v: twist.slice(3, 5), f: moved.slice(3, 5) };
}

function triad(pose, name, kind) {
  const at = (p) => offset(pose, p), along = (p) => at(p).map((each, i) => each - pose[i]);
  return [
    { arrow: [pose.slice(0, 2), along([0.5, 0])], kind }, { arrow: [pose.slice(0, 2), along([0, 0.5])], kind },
    { text: name, at: at([-0.12, -0.14]), kind, off: [0, 5] },
  ];
}

function pair(at, turn, v, f, labels) {
  const arrows = [["velocity", v], ["force", f]].map(([kind, [x, y]]) => [kind, offset([0, 0, turn], [LENGTH * x, LENGTH * y])]);
  return arrows.flatMap(([kind, along], i) => [
    { arrow: [at.slice(0, 2), along], kind },
    { text: labels[i], at: [at[0] + along[0], at[1] + along[1]], kind, off: [along[0] < 0 ? -12 : 12, along[1] < 0 ? 14 : -6] },
  ]);
}

function scene({ pose, v, f }, mode, e) {
  const outline = Array.from({ length: 61 }, (_, i) => [2.05 * Math.cos((i * Math.PI) / 30), 1.25 * Math.sin((i * Math.PI) / 30)]);
  return [
    { line: outline, closed: true, kind: "body-a", curve: "fill faint" }, ...triad([0, 0, 0], "0", "muted"), ...triad(pose, "1", "ink"),
    ...pair([0, 0], 0, v, f, ["⁰v", "f"]), ...pair(pose, pose[2], e.v, e.f, ["¹v", "f"]),
  ];
}

// Powers as bars: of the force, of the moment, and of both.
function powers(state, mode, e) {
  const rows = [
    ["force · v, frame 0", dot(state.f, state.v), "force"], ["τ ω, frame 0", state.torque * state.omega, "moment"], ["together", e.outer, "normal"],
    ["force · v, frame 1", dot(e.f, e.v), "force"], ["τ ω, frame 1", e.moment * e.twist[2], "moment"], ["together", e.inner, mode === "twist" ? "wrong" : "normal"],
  ];
  const most = Math.max(1e-9, ...rows.map(([, value]) => Math.abs(value)));
  return rows.flatMap(([label, value, kind], i) => {
    const y = 6 - i - (i > 2 ? 0.6 : 0), x = (1.5 * value) / most;
    return [
      { line: [[0, y - 0.25], [x, y - 0.25], [x, y + 0.25], [0, y + 0.25]], closed: true, kind, curve: "fill" },
      { text: label, at: [-1.6, y], anchor: "end", off: [0, 5], kind: "muted" },
    ];
  }).concat([{ line: [[0, 0], [0, 6.4]], curve: "thin axis" }]);
}

export const views = [
  { name: "scene", box: [-2.15, -1.3, 2.15, 1.3], draw: scene },
  { name: "powers", box: [-4, 0, 1.7, 6.5], height: 206, draw: powers },
];
export const describe = (state, mode, e) =>
  `A moving body, a force on it and two frames. The power is ${e.outer.toFixed(2)} W in frame 0 and ${e.inner.toFixed(2)} W ` +
  `in frame 1, with the ${modes[mode].label}.`;
