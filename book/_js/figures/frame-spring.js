// The force of a frame spring on A while the bodies rotate: (L 0.43), printed with angular velocities, and right.
import { elasticForce, elasticForceVariation } from "../dynamics/frame_spring.js";
import { add, norm, scale, subtract } from "../dynamics/matrix.js";
import { planar } from "../dynamics/se3.js";
import { axes, offset, rectangle } from "./drawing.js";
import { Body, Parameter } from "./handles.js";

export const claim = "lloyd/s0.22.1/e0.43#b";
const K = 1, P = [[0.55, 0.35, 0], [-0.55, 0.25, 0]], SIZE = [1.1, 0.7], SPINS = 31, FASTEST = 3;

const tex = (a, b) => String.raw`\delta f_A = \term{points}{k_t\bigl(-\delta_A + p_1\times ${a} + R_{BA}(\delta_B - p_2\times ${b})\bigr)}
  + \term{turning}{f_A\times\theta_A}`;
const slip = (body) => String.raw`\wrong{\omega_${body}}`;
export const modes = {
  printed: { label: "printed", tex: tex(slip("A"), slip("B")) },
  right: { label: "right", tex: tex(String.raw`\theta_A`, String.raw`\theta_B`) },
};
export const state = { pose: [[-1, -0.1, 0.2], [1, 0.2, -0.3]], turn: [1, -0.5], spin: [0, 0] };
export const poster = { state, mode: "printed" };
const body = (i, label, x) => Body({ at: ["pose", i], label, range: [x, [-0.5, 0.5], [-1.5, 1.5]], step: [0.05, 0.05, 0.05], unit: ["m", "m", "rad"], radius: 0.55, phase: -Math.PI / 2 });
const slider = (name, i, label, unit, most) => Parameter({ at: [name, i], label, range: [[-most, most]], step: [0.1], unit });
export const handles = {
  a: body(0, "body A", [-1.4, -0.7]),
  b: body(1, "body B", [0.7, 1.4]),
  turnA: slider("turn", 0, "θ of A", "rad", 2),
  turnB: slider("turn", 1, "θ of B", "rad", 2),
  spinA: slider("spin", 0, "ω of A", "rad/s", FASTEST),
  spinB: slider("spin", 1, "ω of B", "rad/s", FASTEST),
};
export const terms = {
  points: { key: "points", unit: "N", kind: "position" },
  turning: { key: "turning", unit: "N", kind: "moment" },
};
export const numbers = [
  { label: "change of the force by the formula", key: "size", unit: "N", kind: "force" },
  { label: "by difference quotient", key: "exact_size", unit: "N" },
  { label: "distance between them", key: "difference", unit: "N", kind: "wrong" },
];

const about = (angle) => [0, 0, angle];
const STILL = [[0, 0, 0], [0, 0, 0]];

function parts({ pose, turn, spin }, mode) {
  const theta = turn.map(about);
  return elasticForceVariation(pose.map(planar), P, K, STILL, theta, mode === "printed" ? spin.map(about) : theta);
}

export function evaluate(state, mode) {
  const { pose, turn, spin } = state, [points, turning] = parts(state, mode), change = add(points, turning);
  const rotated = (e) => pose.map(([x, y, angle], i) => planar([x, y, angle + e * turn[i]]));
  const exact = scale(1 / 2e-6, subtract(elasticForce(rotated(1e-6), P, K), elasticForce(rotated(-1e-6), P, K)));
  const changes = Array.from({ length: SPINS }, (_, i) => {
    const spins = spin.map((each, k) => (k ? each : FASTEST * ((2 * i) / (SPINS - 1) - 1)));
    return norm(add(...parts({ ...state, spin: spins }, "printed")).slice(0, 2));
  });
  return {
    force: elasticForce(pose.map(planar), P, K).slice(0, 2), change: change.slice(0, 2), exact: exact.slice(0, 2),
    points: norm(points.slice(0, 2)), turning: norm(turning.slice(0, 2)), size: norm(change.slice(0, 2)),
    exact_size: norm(exact.slice(0, 2)), difference: norm(subtract(change, exact).slice(0, 2)), changes,
  };
}

function scene({ pose }, mode, e) {
  const ends = pose.map((each, i) => offset(each, P[i])), turned = (vector) => offset([0, 0, pose[0][2]], scale(0.45, vector));
  const shapes = pose.map((each, i) => rectangle(each, ...SIZE, i ? "body-b" : "body-a"));
  pose.forEach((each, i) => shapes.push({ text: i ? "B" : "A", at: each, off: [0, -14], kind: i ? "body-b" : "body-a" }));
  pose.forEach((each, i) => shapes.push({ line: [each, ends[i]], curve: "thin dashed" }));
  shapes.push({ spring: ends, curve: "thin" }, ...ends.map((at) => ({ disc: [at, 3], curve: "head" })));
  const kind = mode === "printed" ? "wrong" : "right";
  shapes.push({ arrow: [ends[0], turned(e.exact)], kind: "position" }, { arrow: [ends[0], turned(e.change)], kind });
  const tip = add(ends[0], turned(e.change));
  return [...shapes, { text: "δf", at: tip, kind, off: [0, tip[1] < ends[0][1] ? 16 : -8] }];
}

function plot({ spin }, mode, e) {
  const top = 1.15 * Math.max(...e.changes, e.exact_size, 0.1), fit = (y) => y / top;
  const points = e.changes.map((y, i) => [FASTEST * ((2 * i) / (SPINS - 1) - 1), fit(y)]);
  const ends = (y) => [[-FASTEST, y], [FASTEST, y]];
  return [
    ...axes([-FASTEST, 0, FASTEST, 1], "ω of A [rad/s]", "|δf| [N]", [0, 0]),
    { line: points, kind: "wrong", curve: mode === "printed" ? "" : "thin dashed" },
    { line: ends(fit(e.exact_size)), kind: "right", curve: mode === "right" ? "" : "thin dashed" },
    { text: "right", at: [-FASTEST, fit(e.exact_size)], anchor: "start", kind: "right", off: [2, -6] },
    { text: "printed", at: points[0], anchor: "start", kind: "wrong", off: [12, 4] },
    { disc: [[spin[0], fit(mode === "printed" ? e.size : e.exact_size)], 4], kind: mode === "printed" ? "wrong" : "right" },
  ];
}

export const views = [
  { name: "scene", box: [-2.1, -1.2, 2.1, 1.2], draw: scene },
  { name: "plot", box: [-3.1, -0.15, 3.1, 1.08], height: 194, draw: plot },
];
export const describe = (state, mode, e) =>
  `Two bodies joined by a frame spring. While they rotate, its force on A changes by ${e.size.toFixed(2)} N by the ` +
  `${mode} form and by ${e.exact_size.toFixed(2)} N by the difference quotient.`;
