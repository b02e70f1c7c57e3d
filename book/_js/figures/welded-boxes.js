// Two boxes welded together: their inertia in the frame of the first, and what a diagonal matrix makes of the motion.
import { symplecticEuler } from "../dynamics/integrate.js";
import { box, composite, planarProperties, transformInertia } from "../dynamics/inertia.js";
import { planar, planarPose } from "../dynamics/se3.js";
import { axes, offset, rectangle } from "./drawing.js";
import { Body, Parameter } from "./handles.js";

export const claim = "sueda/s1.7/t320#a";
const SIZE = [0.6, 0.3, 0.3], MASS = 1, STEPS = 100, STEP = 0.02, FAR = 1.6, NONE = [0, 0, 0, 0, 0, 0];
const COLORS = { whole: "normal", diagonal: "wrong" };

const tex = (matrix) => String.raw`M = ${matrix},\qquad M\dot\phi = \ad_\phi^\T M\phi,\qquad \term{drift}{\text{displacement of the center of mass}}`;
export const modes = {
  whole: { label: "whole matrix", tex: tex(String.raw`\begin{pmatrix} I & m[c] \\ -m[c] & mI_3 \end{pmatrix}`) },
  diagonal: { label: "diagonal", tex: tex(String.raw`\wrong{\operatorname{diag}(I_1, I_2, I_3, m, m, m)}`) },
};
export const state = { weld: [0.5, 0.35, 0.8], mass: 2, omega: 2, pose: [0, 0, 0], twist: null };
export const poster = { state, mode: "whole" };
const restart = (change) => (now, value) => ({ ...now, pose: [0, 0, 0], twist: null, ...change(value) });
const number = (name, options) => Parameter({ read: (now) => now[name], write: restart((value) => ({ [name]: value })), ...options });
export const handles = {
  weld: Body({ read: (now) => now.weld, write: restart((weld) => ({ weld })), label: "second box, in the frame of the first", range: [[-0.9, 0.9], [-0.7, 0.7], [-3.1, 3.1]], step: [0.05, 0.05, 0.05], unit: ["m", "m", "rad"], radius: 0.3 }),
  mass: number("mass", { label: "mass of the second box (the first has 1 kg)", range: [[0.2, 6]], step: [0.2], unit: "kg" }),
  omega: number("omega", { label: "spin at the start", range: [[-3, 3]], step: [0.2], unit: "rad/s" }),
};
export const terms = { drift: { key: "drift", unit: "m", kind: "position" } };
export const numbers = [
  { label: "moment about the center of mass", key: "moment", unit: "kg m²" },
  { label: "about the origin of the frame", key: "outer", unit: "kg m²" },
  { label: "displacement of the center of mass in 2 s", key: "displacement", unit: "m" },
];

const inertiaOf = ({ weld, mass }) => composite(box(MASS, SIZE), transformInertia(planar(weld), box(mass, SIZE)));
const matrixOf = (M, mode) => (mode === "whole" ? M : M.map((row, i) => row.map((each, j) => (i === j ? each : 0))));
// The twist at the start: the center of mass is at rest.
const twistOf = ({ omega, twist }, [x, y]) => twist ?? [omega, omega * y, -omega * x];

function advance({ pose, twist }, M, h) {
  const [E, phi] = symplecticEuler(M, planar(pose), [0, 0, ...twist, 0], NONE, h);
  return { pose: planarPose(E), twist: phi.slice(2, 5) };
}

export function step(state, mode, h) {
  const M = inertiaOf(state), start = { ...state, twist: twistOf(state, planarProperties(M).com) };
  return { ...start, ...advance(start, matrixOf(M, mode), h) };
}

const distance = (pose, com) => Math.hypot(...offset(pose, com).map((each, i) => each - com[i]));

function ways(state, M, com, mode) {
  let now = { pose: [0, 0, 0], twist: twistOf({ ...state, twist: null }, com) };
  const matrix = matrixOf(M, mode), values = [0];
  for (let i = 0; i < STEPS; i++) {
    now = advance(now, matrix, STEP);
    values.push(distance(now.pose, com));
  }
  return values;
}

export function evaluate(state, mode, running = false) {
  const M = inertiaOf(state), { com, moment } = planarProperties(M), drift = distance(state.pose, com);
  if (running) return { com, moment, outer: M[2][2], drift, displacement: drift };
  const all = Object.fromEntries(Object.keys(modes).map((each) => [each, ways(state, M, com, each)]));
  return { com, moment, outer: M[2][2], drift, displacement: all[mode][STEPS], ...all };
}

export const status = (state, e) => (e.drift > FAR ? "diverged" : "");

function scene({ pose, weld }, mode, e, trace) {
  const [x, y] = offset(pose, weld), second = [x, y, pose[2] + weld[2]], center = offset(pose, e.com);
  const paths = trace.length > 1 ? [{ line: trace.map((each) => offset(each.state.pose, e.com)), kind: COLORS[mode], curve: "thin" }] : [];
  const along = (vector) => ({ arrow: [pose.slice(0, 2), offset([0, 0, pose[2]], vector)], kind: "muted" });
  return [
    rectangle(pose, SIZE[0], SIZE[1], "body-a"), rectangle(second, SIZE[0], SIZE[1], "body-b"), { line: [pose.slice(0, 2), [x, y]], kind: "muted", curve: "thin" },
    along([0.42, 0]), along([0, 0.42]), ...paths,
    { disc: [center, 6], kind: COLORS[mode], curve: "head" }, { text: "center of mass", at: center, kind: COLORS[mode], off: [0, 20] },
  ];
}

function plot(state, mode, e, trace) {
  const shapes = axes([0, 0, STEPS, FAR], trace.length > 1 ? "time" : "2 s", "displacement of the center of mass [m]");
  const lines = trace.length > 1 ? { [mode]: trace.slice(-STEPS).map((each) => each.e.drift) } : { diagonal: e.diagonal, whole: e.whole };
  for (const [each, values] of Object.entries(lines)) {
    shapes.push({ line: values.map((value, i) => [i, Math.min(value, FAR)]), kind: COLORS[each], curve: each === mode ? "" : "thin" });
  }
  const names = Object.entries(lines).map(([each, values], i) => {
    const high = values.findIndex((value) => value > 0.6 * FAR), rises = high >= 0;
    const at = rises ? [high, values[high]] : [STEPS, Math.max(0, values.at(-1) ?? 0)];
    return { text: modes[each].label, at, anchor: "end", off: rises ? [-8, 0] : [0, 16 * i - 24], kind: COLORS[each] };
  });
  return [...shapes, ...names];
}

export const views = [
  { name: "scene", box: [-1.5, -1.2, 1.5, 1.2], draw: scene },
  { name: "plot", box: [-3, -0.15, STEPS + 3, FAR + 0.1], height: 272, draw: plot },
];
export const describe = (state, mode, e) =>
  `Two boxes welded together, spinning with ${state.omega.toFixed(1)} rad/s. With the ${modes[mode].label} the center of mass, which no force moves, goes ${e.displacement.toFixed(2)} m in two seconds.`;
