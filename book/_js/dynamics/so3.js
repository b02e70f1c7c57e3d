import { combine, identity, multiply, norm, scale, transpose } from "./matrix.js";

// Twin: rbnotes.so3.hat.
export const hat = ([x, y, z]) => [[0, -z, y], [z, 0, -x], [-y, x, 0]];

// sin(x)/x, (1 - cos(x))/x^2 and (x - sin(x))/x^3; the last cancels at small angles and is a series there.
function coefficients(x) {
  const half = x / 2;
  const sinc = (angle) => (angle > 0 ? Math.sin(angle) / angle : 1);
  if (x > 1) return [sinc(x), sinc(half) ** 2 / 2, (1 - sinc(x)) / (x * x)];
  let term = 1 / 6, sum = 0;
  for (let k = 1; k < 13; k++) {
    sum += term;
    term *= (-x * x) / ((2 * k + 2) * (2 * k + 3));
  }
  return [sinc(x), sinc(half) ** 2 / 2, sum];
}

// Twin: rbnotes.so3.exp.
export function exp(w) {
  const W = hat(w), [c1, c2] = coefficients(norm(w));
  return combine(1, identity(3), 1, combine(c1, W, c2, multiply(W, W)));
}

// Twin: rbnotes.so3.left_jacobian.
export function leftJacobian(w) {
  const W = hat(w), [, c2, c3] = coefficients(norm(w));
  return combine(1, identity(3), 1, combine(c2, W, c3, multiply(W, W)));
}

// Twin: rbnotes.so3.log. The largest component of the quaternion is computed from a sum without cancellation.
export function log(R) {
  const [[a, b, c], [d, e, f], [g, h, i]] = R;
  const sums = [1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i];
  const rows = [
    [sums[0], h - f, c - g, d - b], [h - f, sums[1], b + d, c + g],
    [c - g, b + d, sums[2], f + h], [d - b, c + g, f + h, sums[3]],
  ];
  const q = rows[sums.indexOf(Math.max(...sums))];
  const [w, ...v] = scale(1 / norm(q), q);
  const sign = w < 0 || (w === 0 && v.find((each) => each !== 0) < 0) ? -1 : 1;
  const length = norm(v);
  return scale(length > 0 ? (sign * 2 * Math.atan2(length, Math.abs(w))) / length : 2, v);
}

// The vector of Rodrigues' formula as it is often coded: angle from the trace, axis from the skew part.
export function logOfTrace(R) {
  const angle = Math.acos((R[0][0] + R[1][1] + R[2][2] - 1) / 2);
  const skew = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]];
  return scale(angle / (2 * Math.sin(angle)), skew);
}

// Twin: rbnotes.so3.interpolate.
export const interpolate = (R0, R1, t) => multiply(R0, exp(scale(t, log(multiply(transpose(R0), R1)))));

