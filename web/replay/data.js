// Numbers of the scene: base64 of little-endian floats or doubles, and where a time lies between the rows.

function bytesOf(text) {
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function numbersOf(text, size, read) {
  const view = new DataView(bytesOf(text).buffer), out = new Float64Array(view.byteLength / size);
  for (let i = 0; i < out.length; i++) out[i] = view[read](i * size, true);
  return out;
}
export const doubles = (text) => numbersOf(text, 8, "getFloat64");
export const floats = (text) => numbersOf(text, 4, "getFloat32");

// The row n and the share s in [0, 1] with t = (1 - s) t[n] + s t[n+1].
export function locate(times, t) {
  let low = 0, high = times.length - 1;
  if (high < 1 || t <= times[0]) return [0, 0];
  if (t >= times[high]) return [high - 1, 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  return [low, (t - times[low]) / (times[high] - times[low])];
}

// Eigenvalues and eigenvectors (columns) of a symmetric 3 x 3 matrix [xx, xy, xz, yy, yz, zz], by Jacobi rotations.
export function eigen([xx, xy, xz, yy, yz, zz]) {
  const A = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], V = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  for (let sweep = 0; sweep < 30; sweep++) {
    for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
      if (Math.abs(A[p][q]) <= 1e-15 * Math.hypot(A[p][p], A[q][q])) continue;
      const theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
      const t = (theta >= 0 ? 1 : -1) / (Math.abs(theta) + Math.hypot(theta, 1)), c = 1 / Math.hypot(t, 1), s = t * c;
      for (let k = 0; k < 3; k++) [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
      for (let k = 0; k < 3; k++) [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
      for (let k = 0; k < 3; k++) [V[k][p], V[k][q]] = [c * V[k][p] - s * V[k][q], s * V[k][p] + c * V[k][q]];
    }
  }
  return { values: [A[0][0], A[1][1], A[2][2]], vectors: V };
}
