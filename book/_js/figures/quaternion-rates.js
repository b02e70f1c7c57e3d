// The rate of a quaternion from the same numbers of the angular velocity, read in base and in body coordinates.
import { cross, dot, norm, scale, subtract } from "../dynamics/matrix.js";
import { derivativeFromBase, derivativeFromBody, fromRotationVector, product, rotate, toRotationVector } from "../dynamics/quaternion.js";
import { Direction, Parameter } from "./handles.js";

export const claim = null;
const SPEED = 1.5, STEP = 1e-5, LONGEST = 8, UNITS = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; // rad/s, s, s
const VIEW = [[1, 0, 0], [0, 0.8, 0.6]]; // from above and from -y

const tex = (rate, sign) => String.raw`\dot q = \tfrac12\,${rate} = \tfrac12\bigl(\term{scalar}{-\sin\tfrac\theta2\;\omega\cdot u},\ \cos\tfrac\theta2\;\omega ${sign} \term{cross}{\sin\tfrac\theta2\;\omega\times u}\bigr)`;
export const modes = {
  base: { label: "base coordinates", tex: tex(String.raw`(0,\omega)\,q`, "+") },
  body: { label: "body coordinates", tex: tex(String.raw`q\,(0,\omega)`, "-") },
};
export const state = { axis: [2.2, 0.3], theta: 1.2, omega: [0.4, 0.5], time: 0 };
export const poster = { state, mode: "body" };
export const handles = {
  azimuth: Direction({ at: ["omega", 0], label: "direction of the angular velocity ω", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: 1.3, center: () => [0, 0] }),
  elevation: Parameter({ at: ["omega", 1], label: "elevation of ω", range: [[-1.5, 1.5]], step: [0.1], unit: "rad" }),
  theta: Parameter({ at: ["theta"], label: "angle θ of the frame", range: [[0, 3.1]], step: [0.1], unit: "rad" }),
  tilt: Parameter({ at: ["axis", 1], label: "elevation of the axis u", range: [[-1.5, 1.5]], step: [0.1], unit: "rad" }),
};
export const terms = {
  scalar: { key: "scalar", unit: "rad/s", kind: "position" },
  cross: { key: "cross", unit: "rad/s", kind: "moment" },
};
export const numbers = [
  { label: "distance between the two rates", key: "distance", unit: "1/s", kind: "moment" },
  { label: "angle between the two axes in space", key: "between", unit: "rad" },
  { label: "error against the difference quotient", key: "error", unit: "1/s" },
];

const direction = ([azimuth, elevation]) => [Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation)];
const omegaOf = ({ omega }) => scale(SPEED, direction(omega));
const orientation = ({ axis, theta }) => fromRotationVector(scale(theta, direction(axis)));
const rate = { base: derivativeFromBase, body: derivativeFromBody };

// The quaternion after a time, at constant components of the angular velocity.
function moved(state, mode, time) {
  const q = orientation(state), turn = fromRotationVector(scale(time, omegaOf(state)));
  return mode === "base" ? product(turn, q) : product(q, turn);
}

export function step(state, mode, h) {
  const w = toRotationVector(moved(state, mode, h)), theta = norm(w);
  const axis = theta > 0 ? [Math.atan2(w[1], w[0]), Math.atan2(w[2], Math.hypot(w[0], w[1]))] : state.axis;
  return { ...state, axis, theta, time: state.time + h };
}
export const status = ({ time }) => (time > LONGEST ? "stopped" : "");

export function evaluate(state, mode) {
  const q = orientation(state), omega = omegaOf(state), [base, body] = ["base", "body"].map((each) => rate[each](q, omega));
  const quotient = scale(1 / (2 * STEP), subtract(moved(state, mode, STEP), moved(state, mode, -STEP)));
  const own = mode === "base" ? base : body, half = scale(Math.sin(state.theta / 2), direction(state.axis)), turned = rotate(q, omega);
  return {
    q, base, body, scalar: -dot(half, omega), cross: norm(cross(omega, half)), distance: norm(subtract(base, body)),
    between: Math.atan2(norm(cross(omega, turned)), dot(omega, turned)), error: norm(subtract(own, quotient)),
  };
}

const project = (p) => VIEW.map((row) => dot(row, p));

function scene(state, mode, e, trace) {
  const omega = omegaOf(state), ways = { base: omega, body: rotate(e.q, omega) }, other = mode === "base" ? "body" : "base", u = direction(state.axis);
  const axes = UNITS.map((each) => rotate(e.q, each)), spin = ways[mode];
  const paths = trace.length > 1 ? UNITS.map((each, i) => ({ line: trace.map((at) => project(rotate(at.e.q, each))), kind: "xyz"[i], curve: "thin" })) : [];
  const name = (text, at, kind) => {
    const p = project(at), size = Math.max(0.1, norm(p));
    return { text, at: p.map((each, k) => each + ((k ? 0.11 : 0.11 + 0.045 * (text.length - 1)) * each) / size), kind, off: [0, 4] };
  };
  const ring = Array.from({ length: 73 }, (_, i) => [1.3 * Math.cos((i * Math.PI) / 36), 1.3 * Math.sin((i * Math.PI) / 36)]);
  return [
    { line: ring, closed: true, kind: "muted", curve: "thin dashed world" }, ...UNITS.map((each) => ({ line: [[0, 0], project(each)], kind: "muted", curve: "thin dashed" })), ...paths,
    { line: [project(scale(-1.1, u)), project(scale(1.1, u))], kind: "moment", curve: "thin dashed" }, name("u", scale(1.1, u), "moment"),
    ...axes.map((each, i) => ({ arrow: [[0, 0], project(each)], kind: "xyz"[i], curve: "thin" })), ...axes.map((each, i) => name("xyz"[i], each, "xyz"[i])),
    ...axes.map((each) => ({ arrow: [project(each), project(scale(0.3, cross(spin, each)))], kind: "velocity" })),
    { arrow: [[0, 0], project(scale(1 / SPEED, ways[other]))], kind: "muted" }, name(other, scale(1 / SPEED, ways[other]), "muted"),
    { arrow: [[0, 0], project(scale(1 / SPEED, spin))], kind: "force" }, name(`ω in ${mode}`, scale(1 / SPEED, spin), "force"),
  ];
}

// The components of both rates side by side; those of the chosen form are filled.
function plot(state, mode, e) {
  const shapes = [{ line: [[-0.5, 0], [3.6, 0]], curve: "thin axis" }];
  ["scalar", "x", "y", "z"].forEach((name, i) => {
    ["base", "body"].forEach((side, k) => {
      const left = i - 0.34 + 0.34 * k, y = e[side][i];
      shapes.push({ line: [[left, 0], [left + 0.3, 0], [left + 0.3, y], [left, y]], closed: true, kind: side === mode ? "force" : "muted", curve: "fill" });
    });
    shapes.push({ text: name, at: [i - 0.02, -0.82], off: [0, 8], kind: i ? "ink" : "position" });
  });
  return [...shapes, { text: "rates of the components: left base, right body", at: [-0.5, 0.85], anchor: "start", off: [0, -4], kind: "muted" }];
}

export const views = [
  { name: "scene", box: [-1.5, -1.4, 1.5, 1.4], draw: scene },
  { name: "plot", box: [-0.6, -0.95, 3.7, 0.98], height: 317, draw: plot },
];
export const describe = (state, mode, e) =>
  `A rotated frame with an angular velocity of constant ${mode} coordinates. The rates of its quaternion by the two formulas differ by ${e.distance.toFixed(2)}, the axes in space by ${e.between.toFixed(2)} rad.`;
