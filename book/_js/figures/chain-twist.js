// Two rods on hinges: the twist of each from that of its parent and of its joint.
import { chainPoses, childTwist, childTwistPrinted } from "../dynamics/chain.js";
import { norm, scale, subtract } from "../dynamics/matrix.js";
import { compose, inverse, planar, planarPose } from "../dynamics/se3.js";
import { offset, rectangle } from "./drawing.js";
import { Direction, Parameter } from "./handles.js";

export const claim = "sueda/s2.1/e2.9#b";
const LENGTH = 0.8, WIDTH = 0.12, UNIT = 0.35, STEP = 1e-5, BODIES = ["body-a", "body-b"];

const tex = (adjoint) => String.raw`{}^i\phi_i = {}^i_0\Ad\,{}^0_p\Ad\,{}^p\phi_p + ${adjoint}\,{}^{J_i}\phi_{J_i},\qquad \term{speed}{\lvert v_\text{end}\rvert}`;
export const modes = {
  printed: { label: "printed", tex: tex(String.raw`\wrong{{}^{J_i}_i\Ad}`) },
  right: { label: "right", tex: tex(String.raw`{}^i_{J_i}\Ad`) },
};
export const state = { q: [0.5, -1.1], rates: [1.2, 0.8], place: 0.5 };
export const poster = { state, mode: "printed" };
const turn = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));
const elbow = ({ q }) => offset([0, 0, q[0]], [LENGTH, 0]);
const rate = (i) => Parameter({ at: ["rates", i], label: `rate of hinge ${i + 1}`, range: [[-2, 2]], step: [0.1], unit: "rad/s" });
export const handles = {
  q1: Direction({ at: ["q", 0], label: "angle of hinge 1", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: LENGTH, center: () => [0, 0] }),
  q2: Direction({ read: ({ q }) => turn(q[0] + q[1]), write: (now, angle) => ({ ...now, q: [now.q[0], turn(angle - now.q[0])] }), label: "direction of rod 2", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: LENGTH, center: elbow }),
  rate1: rate(0),
  rate2: rate(1),
  place: Parameter({ at: ["place"], label: "frame of each rod: 0 at its hinge, 0.5 in its middle", range: [[0, 1]], step: [0.05] }),
};
export const terms = { speed: { key: "speed", unit: "m/s", kind: "velocity" } };
export const numbers = [
  { label: "speed of the end by difference quotient", key: "quotient", unit: "m/s" },
  { label: "largest error of a velocity", key: "difference", unit: "m/s", kind: "wrong" },
];

const frames = ({ place }) => {
  const joint = planar([-place * LENGTH, 0, 0]); // of the hinge, in the rod
  return { joint, joints: [planar([0, 0, 0]), planar([(1 - place) * LENGTH, 0, 0])], bodies: [inverse(joint), inverse(joint)] };
};

function posesOf(state, time = 0) {
  const { joints, bodies } = frames(state);
  return chainPoses(joints, bodies, state.q.map((angle, i) => angle + time * state.rates[i]));
}

// Points of the rods where velocities are drawn, in their frames.
const pointsOf = ({ place }) => [0, 0.5, 1].map((part) => [(part - place) * LENGTH, 0]);
const placesOf = (state, time) => posesOf(state, time).map((E) => pointsOf(state).map((point) => offset(planarPose(E), point)));

export function evaluate(state, mode) {
  const recursion = mode === "printed" ? childTwistPrinted : childTwist, { joint } = frames(state), poses = posesOf(state);
  const twists = [];
  poses.forEach((E, i) => {
    const own = i ? compose(inverse(poses[i - 1]), E) : E;
    twists.push(recursion(own, joint, i ? twists[i - 1] : [0, 0, 0, 0, 0, 0], [0, 0, state.rates[i], 0, 0, 0]));
  });
  const velocities = poses.map((E, i) => {
    const angle = planarPose(E)[2], [w, vx, vy] = twists[i].slice(2, 5);
    return pointsOf(state).map(([x, y]) => offset([0, 0, angle], [vx - w * y, vy + w * x]));
  });
  const [before, after] = [-STEP, STEP].map((time) => placesOf(state, time));
  const quotients = after.map((points, i) => points.map((point, j) => scale(1 / (2 * STEP), subtract(point, before[i][j]))));
  const errors = velocities.flatMap((each, i) => each.map((v, j) => norm(subtract(v, quotients[i][j]))));
  return { twists, velocities, speed: norm(velocities[1][2]), quotient: norm(quotients[1][2]), difference: Math.max(...errors) };
}

function scene(state, mode, e) {
  const places = placesOf(state, 0), poses = posesOf(state).map(planarPose), kind = mode === "printed" && e.difference > 1e-6 ? "wrong" : "velocity";
  const rods = poses.map((pose, i) => rectangle([...places[i][1], pose[2]], LENGTH, WIDTH, BODIES[i]));
  const axes = poses.flatMap((pose) => [[0.16, 0], [0, 0.16]].map((along) => ({ arrow: [pose.slice(0, 2), offset([0, 0, pose[2]], along)], curve: "thin" })));
  const arrows = e.velocities.flatMap((each, i) => each.map((v, j) => ({ arrow: [places[i][j], scale(UNIT, v)], kind })));
  return [...rods, ...axes, ...places.map(([hinge]) => ({ disc: [hinge, 5], curve: "head" })), ...arrows];
}

// The speeds along both rods, with those of the difference quotients.
function plot(state, mode, e) {
  const [before, after] = [-STEP, STEP].map((time) => placesOf(state, time));
  const exact = after.map((points, i) => points.map((point, j) => norm(subtract(point, before[i][j])) / (2 * STEP)));
  const most = Math.max(0.5, ...exact.flat(), ...e.velocities.flat().map(norm)), at = (i, j, speed) => [i + j / 2, speed / most];
  const rods = BODIES.flatMap((kind, i) => [
    { line: exact[i].map((speed, j) => at(i, j, speed)), kind: "muted", curve: "thin dashed" },
    { line: e.velocities[i].map((v, j) => at(i, j, norm(v))), kind },
    { text: `rod ${i + 1}`, at: [i + 0.5, 0], off: [0, 15], kind },
  ]);
  const base = [{ arrow: [[0, 0], [2, 0]], curve: "thin axis" }, { arrow: [[0, 0], [0, 1.1]], curve: "thin axis" }];
  return [...base, ...rods, { text: "speed at hinge, middle and end (dashed: quotients)", at: [0, 1.12], anchor: "start", off: [8, 2], kind: "muted" }];
}

export const views = [
  { name: "scene", box: [-2, -1.7, 2, 1.7], draw: scene },
  { name: "plot", box: [-0.1, -0.15, 2.1, 1.2], height: 289, draw: plot },
];
export const describe = (state, mode, e) =>
  `Two rods on hinges. By the ${modes[mode].label} recursion the end moves with ${e.speed.toFixed(2)} m/s, by difference quotient with ${e.quotient.toFixed(2)} m/s.`;
