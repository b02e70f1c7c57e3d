// A chain of links on hinges: in each pass of RNEA, the term from a link's neighbor and the link's own term.
import { rnea } from "../dynamics/chain.js";
import { box, transformInertia } from "../dynamics/inertia.js";
import { apply, dot, norm, scale } from "../dynamics/matrix.js";
import { planar, transformWrench } from "../dynamics/se3.js";
import { offset, rectangle } from "./drawing.js";
import { Direction, Parameter } from "./handles.js";

export const claim = null;
const LENGTH = 0.6, WIDTH = 0.1, MASS = 1, GRAVITY = [0, -9.81, 0], STEP = 1e-5, COUNT = 3, SHOWN = 1; // the link of the formula
const JOINTS = [0, LENGTH, LENGTH].map((x) => planar([x, 0, 0]));
const M = transformInertia(planar([LENGTH / 2, 0, 0]), box(MASS, [LENGTH, WIDTH, WIDTH]));
const KINDS = { velocities: "velocity", accelerations: "position", forces: "force" };
const SCALES = { velocities: 0.3, accelerations: 0.13, forces: 0.02 };

export const modes = {
  velocities: { label: "1 velocities", tex: String.raw`\phi_2 = \term{turning}{{}^2_1\Ad\,\phi_1} + \term{velocity}{S\,\dot q_2}` },
  accelerations: { label: "2 accelerations", tex: String.raw`\dot\phi_2 = \term{changing}{{}^2_1\Ad\,\dot\phi_1 + {}^2_1\dot\Ad\,\phi_1} + \term{acceleration}{S\,\ddot q_2}` },
  forces: { label: "3 forces", tex: String.raw`\tau_2 = S^\T w_2 = S^\T\bigl(\term{load}{{}^3_2\Ad^\T w_3} + \term{force}{M_2\dot\phi_2 - f_2}\bigr)` },
};
export const state = { q: [1, -0.9, -0.8], rates: [1, -0.5, 1.5], accelerations: [2, -1, 3] };
export const poster = { state, mode: "forces" };
const turn = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));
const headings = ({ q }) => q.map((_, i) => q.slice(0, i + 1).reduce((sum, each) => sum + each, 0));
const hinges = (state) => headings(state).reduce((places, angle) => [...places, offset([...places.at(-1), angle], [LENGTH, 0])], [[0, 0]]);
const angle = (i) => Direction({
  read: (now) => turn(headings(now)[i]), write: (now, value) => ({ ...now, q: now.q.map((each, k) => (k === i ? turn(value - (i ? headings(now)[i - 1] : 0)) : each)) }),
  label: `direction of link ${i + 1}`, range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: LENGTH, center: (now) => hinges(now)[i],
});
const rate = (i) => Parameter({ at: ["rates", i], label: `rate of hinge ${i + 1}`, range: [[-2, 2]], step: [0.1], unit: "rad/s" });
const acceleration = (i) => Parameter({ at: ["accelerations", i], label: `acceleration of hinge ${i + 1}`, range: [[-4, 4]], step: [0.5], unit: "rad/s²" });
export const handles = {
  q1: angle(0), q2: angle(1), q3: angle(2), rate1: rate(0), rate2: rate(1), rate3: rate(2),
  acceleration1: acceleration(0), acceleration2: acceleration(1), acceleration3: acceleration(2),
};
const term = (key, unit, kind) => ({ key, unit, kind });
export const terms = {
  turning: term("shown_from_neighbor", "rad/s", "muted"), changing: term("shown_from_neighbor", "", "muted"), load: term("shown_from_neighbor", "N m", "muted"), velocity: term("shown_own", "rad/s", KINDS.velocities),
  acceleration: term("shown_own", "", KINDS.accelerations), force: term("shown_own", "N m", KINDS.forces),
};
export const numbers = [
  { label: "power of the torques", key: "power", unit: "W" },
  { label: "rate of the energy by difference quotient", key: "quotient", unit: "W" },
];

const passes = ({ q, rates, accelerations }) => rnea(JOINTS, JOINTS.map(() => M), q, rates, accelerations, GRAVITY);

// Kinetic and potential energy, a time later.
function energy(state, time) {
  const rates = state.rates.map((each, i) => each + time * state.accelerations[i]);
  const later = { ...state, rates, q: state.q.map((each, i) => each + (time * (state.rates[i] + rates[i])) / 2) }, places = hinges(later);
  return passes(later).twists.reduce((sum, phi, i) => sum + dot(phi, apply(M, phi)) / 2 - (MASS * GRAVITY[1] * (places[i][1] + places[i + 1][1])) / 2, 0);
}

// The values of all links after the pass, and the terms from their neighbors: angular velocities, their rates, or torques.
function valuesAndTerms({ twists, rates, wrenches, torques }, { q }, mode) {
  const outward = (all) => ({ totals: all.map((each) => each[2]), fromNeighbor: all.map((_, i) => (i ? all[i - 1][2] : 0)) });
  if (mode !== "forces") return outward(mode === "velocities" ? twists : rates);
  const pose = (i) => planar([LENGTH, 0, q[i]]);
  return { totals: torques, fromNeighbor: torques.map((_, i) => (i < COUNT - 1 ? transformWrench(pose(i + 1), wrenches[i + 1])[2] : 0)) };
}

// The arrows of the pass along the axes of the world: velocities of ends, accelerations of centers, forces in hinges.
function arrows({ twists, rates, wrenches }, state, mode) {
  return headings(state).map((heading, i) => {
    const [w, vx, vy] = twists[i].slice(2, 5), [a, ax, ay] = rates[i].slice(2, 5), x = mode === "velocities" ? LENGTH : LENGTH / 2;
    const velocity = [vx, vy + w * x], local = { velocities: velocity, accelerations: [ax - w * velocity[1], ay + w * velocity[0] + a * x], forces: wrenches[i].slice(3, 5) };
    return offset([0, 0, heading], local[mode]);
  });
}

export function evaluate(state, mode) {
  const results = passes(state), { totals, fromNeighbor } = valuesAndTerms(results, state, mode);
  return {
    totals, from_neighbor: fromNeighbor, arrows: arrows(results, state, mode), sizes: arrows(results, state, mode).map(norm),
    shown_from_neighbor: fromNeighbor[SHOWN], shown_own: totals[SHOWN] - fromNeighbor[SHOWN],
    power: dot(results.torques, state.rates), quotient: (energy(state, STEP) - energy(state, -STEP)) / (2 * STEP),
  };
}

const UNITS = { velocities: ["m/s", "rad/s"], accelerations: ["m/s²", "rad/s²"], forces: ["N", "N m"] };

function scene(state, mode, e) {
  const places = hinges(state), turns = headings(state), kind = KINDS[mode];
  const at = (i) => ({ velocities: places[i + 1], accelerations: offset([...places[i], turns[i]], [LENGTH / 2, 0]), forces: places[i] })[mode];
  const links = turns.map((angle, i) => rectangle([...offset([...places[i], angle], [LENGTH / 2, 0]), angle], LENGTH, WIDTH, i === SHOWN ? "body-b" : "body-a"));
  const names = turns.map((angle, i) => ({ text: `${i + 1}`, at: offset([...places[i], angle], [0.27 * LENGTH, 0]), off: [0, 4], kind: i === SHOWN ? "body-b" : "body-a" }));
  const vectors = e.arrows.map((each, i) => ({ arrow: [at(i), scale(SCALES[mode], each)], kind }));
  const values = e.arrows.map((each, i) => {
    const tip = scale(SCALES[mode] + 0.13 / Math.max(0.1, e.sizes[i]), each);
    return { text: `${e.sizes[i].toFixed(1)} ${UNITS[mode][0]}`, at: at(i).map((place, k) => place + tip[k]), off: [0, 4], kind };
  });
  return [{ line: [[-0.25, 0], [0.25, 0]], kind: "muted", curve: "cable" }, ...links, ...names, ...places.slice(0, COUNT).map((each) => ({ disc: [each, 5], curve: "head" })), ...vectors, ...values];
}

// For each link: the term from its neighbor (gray), and the value after the pass.
function plot(state, mode, e) {
  const most = Math.max(0.5, ...e.totals.map(Math.abs), ...e.from_neighbor.map(Math.abs)), least = Math.min(0, ...e.totals, ...e.from_neighbor), kind = KINDS[mode], outward = mode !== "forces";
  const bar = (left, value, kind) => ({ line: [[left, 0], [left + 0.3, 0], [left + 0.3, value / most], [left, value / most]], closed: true, kind, curve: "fill" });
  const links = e.totals.flatMap((total, i) => [
    bar(i + 0.08, e.from_neighbor[i], "muted"), bar(i + 0.42, total, kind), { text: `link ${i + 1}`, at: [i + 0.4, least / most], off: [0, 15], kind: i === SHOWN ? "body-b" : "muted" },
    { text: total.toFixed(1), at: [i + 0.57, total / most], off: [0, total < 0 ? 14 : -5], kind },
  ]);
  const direction = { arrow: outward ? [[0.2, 1.42], [2.5, 0]] : [[2.7, 1.42], [-2.5, 0]], kind, curve: "thin" };
  const caption = `from the neighbor (gray) and result, ${UNITS[mode][1]}`;
  return [{ line: [[0, 0], [2.9, 0]], curve: "thin axis" }, direction, ...links, { text: caption, at: [1.45, 1.5], off: [0, -4], kind: "muted" }];
}

export const views = [
  { name: "scene", box: [-1, -0.9, 1.9, 1.3], draw: scene },
  { name: "plot", box: [-0.05, -1.4, 2.95, 1.75], height: 258, draw: plot },
];
export const describe = (state, mode, e) =>
  `A chain of links in pass ${modes[mode].label} of RNEA. Link ${SHOWN + 1} takes ${e.shown_from_neighbor.toFixed(2)} from its neighbor and adds ${e.shown_own.toFixed(2)} ${UNITS[mode][1]}.`;
