// Vectors are arrays of numbers, matrices are arrays of rows. Twins: the operations of NumPy.
export const dot = (a, b) => a.reduce((sum, each, i) => sum + each * b[i], 0);
export const norm = (a) => Math.sqrt(dot(a, a));
export const add = (a, b) => a.map((each, i) => each + b[i]);
export const subtract = (a, b) => a.map((each, i) => each - b[i]);
export const scale = (factor, a) => a.map((each) => factor * each);
export const cross = ([a, b, c], [x, y, z]) => [b * z - c * y, c * x - a * z, a * y - b * x];
export const apply = (A, x) => A.map((row) => dot(row, x));
export const transpose = (A) => A[0].map((_, j) => A.map((row) => row[j]));
export const multiply = (A, B) => {
  const columns = transpose(B);
  return A.map((row) => columns.map((column) => dot(row, column)));
};
export const combine = (a, A, b, B) => A.map((row, i) => row.map((each, j) => a * each + b * B[i][j]));
export const identity = (n) => Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => +(i === j)));

// Twin: numpy.linalg.solve.
export function solve(A, b) {
  const rows = A.map((row, i) => [...row, b[i]]);
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[pivot][k])) pivot = i;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const x = new Array(n);
  for (let i = n - 1; i >= 0; i--) {
    x[i] = (rows[i][n] - dot(rows[i].slice(i + 1, n), x.slice(i + 1))) / rows[i][i];
  }
  return x;
}
