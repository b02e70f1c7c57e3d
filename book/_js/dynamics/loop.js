import { cross, subtract } from "./matrix.js";

const unit = (angle) => [Math.cos(angle), Math.sin(angle)];

// Angles of coupler and rocker of a four-bar from that of the crank: the two circles about the ends of crank and ground meet.
// Lengths are crank, coupler, rocker, ground; the side is +1 or -1. Where the circles do not meet, the bars are aligned.
export function fourBar([crank, coupler, rocker, ground], angle, side) {
  const pin = unit(angle).map((each) => crank * each), [x, y] = subtract([ground, 0], pin), span = Math.hypot(x, y);
  const cosine = (coupler ** 2 + span ** 2 - rocker ** 2) / (2 * coupler * span);
  const second = Math.atan2(y, x) + side * Math.acos(Math.min(1, Math.max(-1, cosine)));
  const [ex, ey] = unit(second).map((each, i) => pin[i] + coupler * each);
  return [angle, second, Math.atan2(ey, ex - ground)];
}

// The loop's error: the end of crank and coupler less that of ground and rocker.
export function loopError([crank, coupler, rocker, ground], angles) {
  const [a, b, c] = angles.map(unit);
  return [0, 1].map((i) => crank * a[i] + coupler * b[i] - rocker * c[i] - (i ? 0 : ground));
}

// Its derivative with respect to the angles, and the motion that it allows. Twin: rbnotes.multibody.reduced.LoopClosure.
export function loopRows([crank, coupler, rocker], angles) {
  const lengths = [crank, coupler, -rocker], units = angles.map(unit);
  return [units.map(([, sine], i) => -lengths[i] * sine), units.map(([cosine], i) => lengths[i] * cosine)];
}
export const nullVector = ([first, second]) => cross(first, second);
