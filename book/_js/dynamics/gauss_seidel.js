import { add, apply, subtract } from "./matrix.js";

// One sweep over the rows of A x = b; each uses the latest values. Twin: rbnotes.constraints.equality_gauss_seidel.
export function sweep(A, b, x) {
  const next = [...x];
  for (let i = 0; i < b.length; i++) next[i] += (b[i] - apply(A, next)[i]) / A[i][i];
  return next;
}

// Error of each row. Twin: b - A x.
export const residual = (A, b, x) => subtract(b, apply(A, x));

// One iteration of Jacobi: all rows use the old values.
export const jacobi = (A, b, x) => add(x, residual(A, b, x).map((each, i) => each / A[i][i]));

// The sweep as printed in Lloyd 0.15: the impulses of the other rows with the opposite sign.
export function printedSweep(A, b, x) {
  const next = [...x];
  for (let i = 0; i < b.length; i++) {
    const others = apply(A, next)[i] - A[i][i] * next[i];
    next[i] = (b[i] + others) / A[i][i];
  }
  return next;
}
