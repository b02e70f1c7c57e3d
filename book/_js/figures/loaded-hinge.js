// A pendulum on a dry pin: the force of the pin, its shares at the contacts, and the friction that they allow.
import { frictionBound, frictionBoundPrinted, pendulumStep, ringMultipliers, ringNormals } from "../dynamics/bearing.js";
import { norm, scale, subtract } from "../dynamics/matrix.js";
import { axes, offset } from "./drawing.js";
import { Direction, Parameter } from "./handles.js";

export const claim = "sueda/s2.11/t1491#c";
const BODY = { mass: 1, moment: 0.02, distance: 0.3 }, GRAVITY = 9.81, H = 0.01, CONTACTS = 8, PIN = 0.85, ROD = 1.8, SHOWN = 60, ENOUGH = 1e-9;
const UNIT = 0.09, PRESSURE = 0.25, RUB = 0.8; // m for 1 N: of the reaction, of the contacts, of friction, in the enlarged drawing

const tex = (alpha) => String.raw`N^\T\alpha = -\term{reaction}{f_\alpha},\qquad -\mu ${alpha} \le \beta \le \mu ${alpha},\qquad \lvert\tau\rvert \le \term{bound}{\textstyle r\sum\mu ${alpha}}`;
export const modes = {
  printed: { label: "printed", tex: tex(String.raw`\wrong{\alpha}`) },
  right: { label: "right", tex: tex(String.raw`\lvert\alpha\rvert`) },
};
export const state = { angle: 0.9, rate: 2, mu: 0.4, radius: 0.1, h: H };
export const poster = { state, mode: "printed" };
export const handles = {
  angle: Direction({ at: ["angle"], label: "angle of the pendulum", range: [[-3.1, 3.1]], step: [0.05], unit: "rad", radius: ROD, phase: -Math.PI / 2, center: () => [0, 0] }),
  rate: Parameter({ at: ["rate"], label: "rate", range: [[-6, 6]], step: [0.2], unit: "rad/s" }),
  mu: Parameter({ at: ["mu"], label: "friction μ", range: [[0, 1]], step: [0.05] }),
  radius: Parameter({ at: ["radius"], label: "radius r of the pin", range: [[0.01, 0.15]], step: [0.01], unit: "m" }),
};
export const terms = {
  reaction: { key: "reaction", unit: "N", kind: "force" },
  bound: { key: "bound", unit: "N m", kind: "tangent" },
};
export const numbers = [
  { label: "torque of friction", key: "friction", unit: "N m", kind: "tangent" },
  { label: "torque of the weight", key: "weight", unit: "N m" },
  { label: "contacts without a friction that the bounds allow", key: "empty", digits: 0, kind: "wrong" },
];

// Positive where the bushing presses on the pin.
const pressed = (force) => scale(-1, ringMultipliers(force, CONTACTS));
const boundOf = (mode) => (mode === "printed" ? frictionBoundPrinted : frictionBound);
const after = ({ angle, rate, mu, radius }, mode) => pendulumStep(BODY, GRAVITY, angle, rate, H, { radius, mu, count: CONTACTS }, boundOf(mode));
const limitAt = (state, mode) => state.radius * boundOf(mode)(pressed(after(state, mode).force), state.mu);
const turn = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));
const weightAt = (angle) => -BODY.mass * GRAVITY * BODY.distance * Math.sin(angle);

export function step(state, mode) {
  const { angle, rate } = after(state, mode);
  return { ...state, angle: turn(angle), rate };
}
export const status = ({ rate }, e) => (Math.abs(rate) < ENOUGH && Math.abs(e.weight) <= e.bound ? "settled" : "");

export function evaluate(state, mode, running = false) {
  const { force, friction, rate } = after(state, mode), alpha = pressed(force), bound = limitAt(state, mode);
  const empty = mode === "printed" ? alpha.filter((each) => each < -ENOUGH).length : 0;
  const now = { force, alpha, bound, friction, next: rate, reaction: norm(force), weight: weightAt(state.angle), empty };
  if (running) return now;
  const angles = Array.from({ length: SHOWN + 1 }, (_, i) => -Math.PI + (2 * Math.PI * i) / SHOWN);
  return { ...now, bounds: angles.map((angle) => limitAt({ ...state, angle, rate: 0 }, mode)) };
}

// The pin is drawn large, in the axes of the pendulum: x along it.
function scene(state, mode, e) {
  const along = state.angle - Math.PI / 2, world = (vector) => offset([0, 0, along], vector), ring = Array.from({ length: 49 }, (_, i) => [Math.cos((i * Math.PI) / 24), Math.sin((i * Math.PI) / 24)]);
  const slides = Math.sign(e.friction || -e.next), share = e.bound > ENOUGH ? Math.abs(e.friction) / e.bound : 1;
  const contacts = ringNormals(CONTACTS).flatMap((normal, i) => {
    const size = e.alpha[i], at = world(scale(PIN, normal)), push = world(scale(-PRESSURE * size, normal)), bad = mode === "printed" && size < -ENOUGH;
    const rub = state.mu * (mode === "printed" ? size : Math.abs(size)) * share * slides, tangent = world(scale(RUB * rub, [-normal[1], normal[0]]));
    const tail = size > 0 ? subtract(at, push) : at; // outside the pin in either case
    return [{ disc: [at, 4], kind: bad ? "wrong" : "normal", curve: "head" }, { arrow: [tail, push], kind: bad ? "wrong" : "normal", curve: "thin" }, { arrow: [at, tangent], kind: bad ? "wrong" : "tangent" }];
  });
  const force = world(scale(UNIT, e.force)), end = world([ROD, 0]);
  return [
    { line: [world([PIN, 0.1]), world([ROD, 0.1]), world([ROD, -0.1]), world([PIN, -0.1])], closed: true, kind: "body-a", curve: "fill" },
    { line: ring.map((each) => scale(PIN, each)), closed: true, kind: "body-a", curve: "fill" },
    ...contacts, { arrow: [[0, 0], force], kind: "force" }, { text: "reaction", at: [0, 0], kind: "force", off: [0, 24] }, { disc: [[0, 0], 3], curve: "head" },
    ...(Math.abs(state.rate) > 0 ? [{ arrow: [end, scale(0.09 * state.rate, world([0, 1]))], kind: "velocity" }] : []),
  ];
}

// Over the angle, at rest: the torque that holds the pendulum, and the friction that the bounds allow.
function plot(state, mode, e) {
  const most = BODY.mass * GRAVITY * BODY.distance, kind = mode === "printed" ? "wrong" : "tangent", at = (i) => -Math.PI + (2 * Math.PI * i) / SHOWN;
  const frame = axes([-Math.PI, 0, Math.PI, 1.15], "angle", "torque at rest", [-Math.PI, 0]), marker = { disc: [[state.angle, Math.abs(e.weight) / most], 5], kind: "position", curve: "head" };
  const weight = Array.from({ length: SHOWN + 1 }, (_, i) => [at(i), Math.abs(weightAt(at(i))) / most]);
  const lines = [...frame, { line: weight, kind: "position" }, { text: "weight", at: [1.57, 1], off: [0, -6], kind: "position" }];
  if (!e.bounds) return [...lines, marker];
  const bounds = e.bounds.map((each, i) => [at(i), Math.min(1.1, each / most)]);
  return [...lines, { line: bounds, kind }, { text: "friction allowed", at: [-Math.PI / 2, 0.4], off: [0, 0], kind }, marker];
}

export const views = [
  { name: "scene", box: [-2, -2, 2, 1.9], draw: scene },
  { name: "plot", box: [-3.4, -0.2, 3.4, 1.25], height: 331, draw: plot },
];
export const describe = (state, mode, e) =>
  `A pendulum at ${state.angle.toFixed(2)} rad on a dry pin. The pin carries ${e.reaction.toFixed(1)} N; by the ${modes[mode].label} bounds, friction is at most ${e.bound.toFixed(2)} N m.`;
