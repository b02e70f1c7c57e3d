import { add, scale } from "./matrix.js";
import { bracket, compose, exp, inverse, log, transformTwist } from "./se3.js";

// Cumulative weights of the increments of a cubic B-spline at u, and two derivatives: one row for each order.
// Twin: the powers of u times rbnotes.joints.spline.BSPLINE_BASIS, added up from the end.
export const cumulativeWeights = (u) => [
  [(5 + 3 * u - 3 * u ** 2 + u ** 3) / 6, (1 + 3 * u + 3 * u ** 2 - 2 * u ** 3) / 6, u ** 3 / 6],
  [(1 - u) ** 2 / 2, (1 + 2 * u - 2 * u ** 2) / 2, u ** 2 / 2],
  [u - 1, 1 - 2 * u, u],
];

// Pose, motion subspace S and dS/dq on an open spline: Algorithm 3. `weight` is the order of the weights in line 10.
function algorithm3(frames, q, weight) {
  const first = Math.min(Math.max(Math.floor(q), 0), frames.length - 4), table = cumulativeWeights(q - first);
  let Q = frames[first], S = [0, 0, 0, 0, 0, 0], dS = S;
  for (let i = 0; i < 3; i++) {
    const d = log(compose(inverse(frames[first + i]), frames[first + i + 1])), [b, db, ddb] = table.map((row) => row[i]);
    const own = exp(scale(b, d)), back = inverse(own);
    dS = add(scale(ddb, d), transformTwist(back, add(dS, scale(table[weight][i], bracket(S, d)))));
    S = add(scale(db, d), transformTwist(back, S));
    Q = compose(Q, own);
  }
  return { Q, S, dS };
}

// Twin: rbnotes.joints.SplineCurve(frames, cyclic=False).
export const splineCurve = (frames, q) => algorithm3(frames, q, 1);

// Twin: `printed` of the record sueda/s2.4.12/alg3#c, for dS/dq.
export const splineCurvePrinted = (frames, q) => algorithm3(frames, q, 0);
