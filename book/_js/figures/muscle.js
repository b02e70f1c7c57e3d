// The tension of a muscle on the curves, and its damping, printed and right.
import { activeForceLength, forceVelocity, muscleTension, passiveForceLength } from "../dynamics/muscle.js";
import { axes } from "./drawing.js";
import { Parameter, Point } from "./handles.js";

export const claim = "sueda/s1.9.4/e1.56";
const PEAK = 100, LENGTH = 0.3, SPEED = 5, STEP = 1e-5; // N, m, optimal lengths per second

const tex = (factor) => String.raw`\term{tension}{f = f_{opt}(a f_L f_V + f_P)},\qquad \term{damping}{\frac{\partial f}{\partial\dot l} = \frac{f_{opt}\,a\,${factor}f_V'}{l_{opt}\,v_{max}}}`;
export const modes = {
  printed: { label: "printed", tex: tex(String.raw`\wrong{f_L'}\,`) },
  right: { label: "right", tex: tex(String.raw`f_L\,`) },
};
export const state = { at: [1.25, -0.25], activation: 0.8 };
export const poster = { state, mode: "printed" };
export const handles = {
  at: Point({ at: ["at"], label: "length and velocity of the muscle", range: [[0.4, 1.8], [-1.1, 1.1]], step: [0.01, 0.05], unit: ["optimal lengths", "of the largest velocity"] }),
  activation: Parameter({ at: ["activation"], label: "activation a", range: [[0, 1]], step: [0.05] }),
};
export const terms = {
  tension: { key: "tension", unit: "N", kind: "force" },
  damping: { key: "damping", unit: "N s/m", kind: "velocity" },
};
export const numbers = [
  { label: "damping by difference quotient", key: "quotient", unit: "N s/m" },
  { label: "difference", key: "difference", unit: "N s/m", kind: "wrong" },
];

export function evaluate({ at: [length, velocity], activation: a }, mode) {
  const active = activeForceLength(length), slope = activeForceLength(length, 1), rate = LENGTH * SPEED;
  const damping = (PEAK * a * (mode === "printed" ? slope : active) * forceVelocity(velocity, 1)) / rate;
  const [before, after] = [-STEP, STEP].map((by) => PEAK * muscleTension(length, velocity + by, a));
  const quotient = (after - before) / (2 * STEP * rate);
  return {
    active, slope, velocity: forceVelocity(velocity), passive: passiveForceLength(length),
    tension: PEAK * muscleTension(length, velocity, a), damping, quotient, difference: damping - quotient,
  };
}

const samples = (from, to, curve, count = 80) => Array.from({ length: count + 1 }, (_, i) => {
  const x = from + ((to - from) * i) / count;
  return [x, curve(x)];
});

// Lengths across; the velocity of the point is the height of its knob.
function lengths({ at: [length, velocity], activation: a }, mode, e) {
  return [
    ...axes([0.3, -1.2, 1.9, 1.5], "length", "f_L, f_P", [0.4, 0]),
    { line: samples(0.4, 1.85, (x) => activeForceLength(x)), kind: "force" }, { line: samples(0.4, 1.75, (x) => passiveForceLength(x)), kind: "normal" },
    { line: samples(0.4, 1.7, (x) => muscleTension(x, velocity, a)), kind: "muted", curve: "thin dashed" },
    { line: [[length, -1.1], [length, 1.4]], kind: "muted", curve: "thin" },
    { disc: [[length, e.active], 5], kind: "force", curve: "head" }, { disc: [[length, e.passive], 5], kind: "normal", curve: "head" },
    { disc: [[length, e.tension / PEAK], 5], curve: "head" },
    { text: "f_L", at: [0.62, activeForceLength(0.62)], kind: "force", off: [-16, 0] }, { text: "f_P", at: [1.55, passiveForceLength(1.55)], kind: "normal", off: [-16, -4] },
    { text: "velocity", at: [length, velocity], kind: "velocity", off: [0, 24] },
  ];
}

function velocities({ at: [length, velocity], activation: a }, mode, e) {
  const shown = [-0.35, 0.35].map((by) => [velocity + by, (e.tension + (by * e.damping * LENGTH * SPEED)) / PEAK]);
  return [
    ...axes([-1.2, 0, 1.2, 1.9], "velocity", "tension over peak force", [0, 0]),
    { line: samples(-1.2, 1.2, (x) => muscleTension(length, x, a), 160), kind: "force" },
    { line: shown, kind: mode === "printed" ? "wrong" : "velocity" }, { disc: [[velocity, e.tension / PEAK], 5], curve: "head" },
    { text: "slope: the damping", at: shown[1], kind: mode === "printed" ? "wrong" : "velocity", off: [0, -10], anchor: velocity > 0.2 ? "end" : "middle" },
  ];
}

export const views = [
  { name: "scene", box: [0.25, -1.3, 1.95, 1.6], height: 300, draw: lengths },
  { name: "velocities", box: [-1.3, -0.3, 1.3, 2.1], height: 300, draw: velocities },
];
export const describe = (state, mode, e) =>
  `A muscle at ${state.at[0].toFixed(2)} optimal lengths pulls with ${e.tension.toFixed(1)} N. Its damping is ${e.damping.toFixed(1)} N s/m in the ${modes[mode].label} form, ` +
  `${e.quotient.toFixed(1)} N s/m by difference quotient.`;
