// A joint along a spline of poses: its frames can be dragged; the twist S gives the axis, and dS/dq the acceleration.
import { add, norm, scale, subtract } from "../dynamics/matrix.js";
import { planar, planarPose } from "../dynamics/se3.js";
import { splineCurve, splineCurvePrinted } from "../dynamics/spline.js";
import { axes, offset, rectangle } from "./drawing.js";
import { Body, Parameter } from "./handles.js";

export const claim = "sueda/s2.4.12/alg3#c";
const SIZE = [0.42, 0.24], SHOWN = 40, STEP = 1e-5, SLOW = 0.5, LAST = 2, SMALLEST = 0.05, ARROW = 0.9; // SLOW: per second of a run

const tex = (weight) => String.raw`\frac{\partial S}{\partial q} \leftarrow \Delta\,\tilde B'' + \Ad(Q_i^{-1})\Bigl(\frac{\partial S}{\partial q} + \ad(S)\,\Delta\,${weight}\Bigr),\qquad \term{acceleration}{\lvert a\rvert}`;
export const modes = {
  printed: { label: "printed", tex: tex(String.raw`\wrong{\tilde B_i}`) },
  right: { label: "right", tex: tex(String.raw`\tilde B_i'`) },
};
export const state = { frames: [[-2, -0.7, 1.4], [-1.2, 0.6, 0.9], [0, 1, -0.3], [1.2, 0.5, -1.4], [1.9, -0.9, -1.9]], q: 1.75 };
export const poster = { state, mode: "printed" };
const knot = (i) => Body({ at: ["frames", i], label: `control frame ${i + 1}`, range: [[-2.2, 2.2], [-1.2, 1.3], [-1.5, 1.5]], step: [0.05, 0.05, 0.05], unit: ["m", "m", "rad"], radius: 0.32 });
export const handles = {
  knot2: knot(1), knot3: knot(2), knot4: knot(3),
  q: Parameter({ at: ["q"], label: "coordinate q", range: [[0, LAST]], step: [0.05] }),
};
export const terms = { acceleration: { key: "acceleration", unit: "", kind: "force" } };
export const numbers = [
  { label: "acceleration of the origin by difference quotient", key: "quotient", unit: "m/s²" },
  { label: "largest error of an acceleration on the curve", key: "difference", unit: "m/s²", kind: "wrong" },
  { label: "distance of the axis from the origin", key: "distance", unit: "m" },
];

const at = (state, mode, q) => (mode === "printed" ? splineCurvePrinted : splineCurve)(state.frames.map(planar), q);
const originAt = (state, q) => planarPose(at(state, "right", q).Q).slice(0, 2);

// The acceleration of the origin at unit speed, along the axes of the world: S' and the turning of S with the frame.
function accelerationAt({ Q, S, dS }) {
  const [w, vx, vy] = S.slice(2, 5);
  return offset([0, 0, planarPose(Q)[2]], [dS[3] - w * vy, dS[4] + w * vx]);
}

// The same from velocities; the second difference of positions would have more rounding.
function quotientAt(state, q) {
  const velocity = (each) => {
    const { Q, S } = at(state, "right", each);
    return offset([0, 0, planarPose(Q)[2]], S.slice(3, 5));
  };
  return scale(1 / (2 * STEP), subtract(velocity(q + STEP), velocity(q - STEP)));
}

// The point where the plane of the body has no velocity; null while the body does not turn.
function center({ Q, S }) {
  const [w, vx, vy] = S.slice(2, 5);
  return Math.abs(w) > SMALLEST ? offset(planarPose(Q), [-vy / w, vx / w]) : null;
}

export const step = (state, mode, h) => ({ ...state, q: Math.min(LAST, state.q + SLOW * h) });
export const status = ({ q }) => (q >= LAST ? "settled" : "");

export function evaluate(state, mode, running = false) {
  const now = at(state, mode, state.q), acceleration = accelerationAt(now), exact = quotientAt(state, state.q), [w, vx, vy] = now.S.slice(2, 5);
  const values = { pose: planarPose(now.Q), twist: [w, vx, vy], acceleration: norm(acceleration), vector: acceleration, exact, quotient: norm(exact), distance: Math.hypot(vx, vy) / Math.max(SMALLEST, Math.abs(w)) };
  if (running) return { ...values, difference: norm(subtract(acceleration, exact)) };
  const all = Array.from({ length: SHOWN + 1 }, (_, i) => (LAST * i) / SHOWN).map((q) => ({ shown: accelerationAt(at(state, mode, q)), right: accelerationAt(at(state, "right", q)) }));
  return { ...values, difference: Math.max(...all.map((each) => norm(subtract(each.shown, each.right)))), sizes: all.map((each) => norm(each.shown)), rights: all.map((each) => norm(each.right)) };
}

function scene(state, mode, e) {
  const kind = mode === "printed" ? "wrong" : "force", now = at(state, "right", state.q), axis = center(now), origin = e.pose.slice(0, 2);
  const curve = Array.from({ length: SHOWN + 1 }, (_, i) => (LAST * i) / SHOWN);
  const centers = curve.map((q) => center(at(state, "right", q))), shown = (p) => p && Math.hypot(...p) < 6;
  const parts = centers.slice(1).flatMap((p, i) => (shown(p) && shown(centers[i]) && norm(subtract(p, centers[i])) < 1 ? [{ line: [centers[i], p], kind: "moment", curve: "thin" }] : []));
  const frames = state.frames.flatMap((pose) => [[0.3, 0], [0, 0.3]].map((along, k) => ({ arrow: [pose.slice(0, 2), offset([0, 0, pose[2]], along)], kind: k ? "y" : "x", curve: "thin" })));
  const velocity = offset([0, 0, e.pose[2]], e.twist.slice(1));
  return [
    { line: state.frames, kind: "muted", curve: "thin dashed" }, ...frames, ...parts, { line: curve.map((q) => originAt(state, q)), kind: "position" },
    ...(axis && shown(axis) ? [{ line: [origin, axis], kind: "moment", curve: "thin dashed" }, { disc: [axis, 5], kind: "moment", curve: "head" }, { text: "axis", at: axis, off: [0, 17], kind: "moment" }] : []),
    rectangle(e.pose, ...SIZE, "body-a"), { arrow: [origin, scale(0.4, velocity)], kind: "velocity" },
    { arrow: [origin, scale(ARROW, e.exact)], kind: "muted" }, { arrow: [origin, scale(ARROW, e.vector)], kind }, { text: "a", at: add(origin, scale(ARROW + 0.12 / Math.max(0.1, e.acceleration), e.vector)), kind, off: [0, 4] },
  ];
}

function plot(state, mode, e) {
  const kind = mode === "printed" ? "wrong" : "force", frame = axes([0, 0, LAST, 1], "q", "|a| at unit rate of q");
  if (!e.sizes) return frame;
  const most = 1.2 * Math.max(0.1, ...e.sizes, ...e.rights), line = (values, kind, curve) => ({ line: values.map((each, i) => [(LAST * i) / SHOWN, each / most]), kind, curve });
  return [...frame, line(e.sizes, kind), line(e.rights, "muted", "thin dashed"), { disc: [[state.q, e.acceleration / most], 5], kind, curve: "head" }, { text: "dashed: right", at: [LAST, 1], anchor: "end", off: [0, 8], kind: "muted" }];
}

export const views = [
  { name: "scene", box: [-2.5, -2.1, 2.5, 1.8], draw: scene },
  { name: "plot", box: [-0.1, -0.15, 2.1, 1.1], height: 265, draw: plot },
];
export const describe = (state, mode, e) =>
  `A body on a spline of control frames at q = ${state.q.toFixed(2)}. Its origin accelerates with ${e.acceleration.toFixed(2)} by the ${modes[mode].label} derivative and with ${e.quotient.toFixed(2)} by difference quotient.`;
