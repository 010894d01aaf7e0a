/** A PDF matrix [a b c d e f]: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Applies `inner`, then `outer`. */
export const multiply = (outer: Matrix, inner: Matrix): Matrix => [
  outer[0] * inner[0] + outer[2] * inner[1],
  outer[1] * inner[0] + outer[3] * inner[1],
  outer[0] * inner[2] + outer[2] * inner[3],
  outer[1] * inner[2] + outer[3] * inner[3],
  outer[0] * inner[4] + outer[2] * inner[5] + outer[4],
  outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
];

export interface Point {
  readonly x: number;
  readonly y: number;
}

export const apply = (m: Matrix, x: number, y: number): Point => ({
  x: m[0] * x + m[2] * y + m[4],
  y: m[1] * x + m[3] * y + m[5],
});

/** Reads a matrix from an array, a typed array, or a structured clone of one. */
export function matrixOf(value: unknown): Matrix {
  const from: object = typeof value === 'object' && value !== null ? value : IDENTITY;
  const at = (i: number): number => Number(Reflect.get(from, i) ?? IDENTITY[i]);
  return [at(0), at(1), at(2), at(3), at(4), at(5)];
}
