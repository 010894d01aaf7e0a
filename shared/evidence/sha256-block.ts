/**
 * The SHA-256 compression function (FIPS 180-4 section 6.2.2) on its own, so that a keyed state can be saved and used
 * again. An event needs some fifty hashes of inputs under 64 bytes: the call into the platform's hash costs more than
 * the block itself, and HMAC there cannot start from a saved state (measured in docs/performance.md).
 *
 * The sixteen rounds are written out because the speed hangs on the sixteen words staying in registers; everything is
 * checked against the platform's own SHA-256 in the tests. Long inputs go to the platform.
 */
export type Sha256State = Int32Array;

export const BLOCK_BYTES = 64;
export const DIGEST_BYTES = 32;

// The first 32 bits of the fractional parts of the square roots of the first 8 primes (FIPS 180-4 section 5.3.3).
export const INITIAL_STATE = Int32Array.from([
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
]);

// ... of the cube roots of the first 64 primes (section 4.2.2).
export const ROUND_CONSTANTS = Int32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]);

export const initialState = (): Sha256State => Int32Array.from(INITIAL_STATE);

export const resetState = (state: Sha256State): void => state.set(INITIAL_STATE);

/** Folds the 64 bytes at `offset` into `state`. */
export function compress(state: Sha256State, message: DataView, offset: number): void {
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  let w0 = message.getInt32(offset);
  let w1 = message.getInt32(offset + 4);
  let w2 = message.getInt32(offset + 8);
  let w3 = message.getInt32(offset + 12);
  let w4 = message.getInt32(offset + 16);
  let w5 = message.getInt32(offset + 20);
  let w6 = message.getInt32(offset + 24);
  let w7 = message.getInt32(offset + 28);
  let w8 = message.getInt32(offset + 32);
  let w9 = message.getInt32(offset + 36);
  let w10 = message.getInt32(offset + 40);
  let w11 = message.getInt32(offset + 44);
  let w12 = message.getInt32(offset + 48);
  let w13 = message.getInt32(offset + 52);
  let w14 = message.getInt32(offset + 56);
  let w15 = message.getInt32(offset + 60);
  for (let i = 0; ; i += 16) {
    h =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & (f ^ g)) ^ g) +
        (ROUND_CONSTANTS[i] as number) +
        w0) |
      0;
    d = (d + h) | 0;
    h =
      (h +
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) +
        ((a & b) ^ (c & (a ^ b)))) |
      0;
    g =
      (g +
        (((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7))) +
        ((d & (e ^ f)) ^ f) +
        (ROUND_CONSTANTS[i + 1] as number) +
        w1) |
      0;
    c = (c + g) | 0;
    g =
      (g +
        (((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10))) +
        ((h & a) ^ (b & (h ^ a)))) |
      0;
    f =
      (f +
        (((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7))) +
        ((c & (d ^ e)) ^ e) +
        (ROUND_CONSTANTS[i + 2] as number) +
        w2) |
      0;
    b = (b + f) | 0;
    f =
      (f +
        (((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10))) +
        ((g & h) ^ (a & (g ^ h)))) |
      0;
    e =
      (e +
        (((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7))) +
        ((b & (c ^ d)) ^ d) +
        (ROUND_CONSTANTS[i + 3] as number) +
        w3) |
      0;
    a = (a + e) | 0;
    e =
      (e +
        (((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10))) +
        ((f & g) ^ (h & (f ^ g)))) |
      0;
    d =
      (d +
        (((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7))) +
        ((a & (b ^ c)) ^ c) +
        (ROUND_CONSTANTS[i + 4] as number) +
        w4) |
      0;
    h = (h + d) | 0;
    d =
      (d +
        (((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10))) +
        ((e & f) ^ (g & (e ^ f)))) |
      0;
    c =
      (c +
        (((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7))) +
        ((h & (a ^ b)) ^ b) +
        (ROUND_CONSTANTS[i + 5] as number) +
        w5) |
      0;
    g = (g + c) | 0;
    c =
      (c +
        (((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10))) +
        ((d & e) ^ (f & (d ^ e)))) |
      0;
    b =
      (b +
        (((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7))) +
        ((g & (h ^ a)) ^ a) +
        (ROUND_CONSTANTS[i + 6] as number) +
        w6) |
      0;
    f = (f + b) | 0;
    b =
      (b +
        (((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10))) +
        ((c & d) ^ (e & (c ^ d)))) |
      0;
    a =
      (a +
        (((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7))) +
        ((f & (g ^ h)) ^ h) +
        (ROUND_CONSTANTS[i + 7] as number) +
        w7) |
      0;
    e = (e + a) | 0;
    a =
      (a +
        (((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10))) +
        ((b & c) ^ (d & (b ^ c)))) |
      0;
    h =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & (f ^ g)) ^ g) +
        (ROUND_CONSTANTS[i + 8] as number) +
        w8) |
      0;
    d = (d + h) | 0;
    h =
      (h +
        (((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) +
        ((a & b) ^ (c & (a ^ b)))) |
      0;
    g =
      (g +
        (((d >>> 6) | (d << 26)) ^ ((d >>> 11) | (d << 21)) ^ ((d >>> 25) | (d << 7))) +
        ((d & (e ^ f)) ^ f) +
        (ROUND_CONSTANTS[i + 9] as number) +
        w9) |
      0;
    c = (c + g) | 0;
    g =
      (g +
        (((h >>> 2) | (h << 30)) ^ ((h >>> 13) | (h << 19)) ^ ((h >>> 22) | (h << 10))) +
        ((h & a) ^ (b & (h ^ a)))) |
      0;
    f =
      (f +
        (((c >>> 6) | (c << 26)) ^ ((c >>> 11) | (c << 21)) ^ ((c >>> 25) | (c << 7))) +
        ((c & (d ^ e)) ^ e) +
        (ROUND_CONSTANTS[i + 10] as number) +
        w10) |
      0;
    b = (b + f) | 0;
    f =
      (f +
        (((g >>> 2) | (g << 30)) ^ ((g >>> 13) | (g << 19)) ^ ((g >>> 22) | (g << 10))) +
        ((g & h) ^ (a & (g ^ h)))) |
      0;
    e =
      (e +
        (((b >>> 6) | (b << 26)) ^ ((b >>> 11) | (b << 21)) ^ ((b >>> 25) | (b << 7))) +
        ((b & (c ^ d)) ^ d) +
        (ROUND_CONSTANTS[i + 11] as number) +
        w11) |
      0;
    a = (a + e) | 0;
    e =
      (e +
        (((f >>> 2) | (f << 30)) ^ ((f >>> 13) | (f << 19)) ^ ((f >>> 22) | (f << 10))) +
        ((f & g) ^ (h & (f ^ g)))) |
      0;
    d =
      (d +
        (((a >>> 6) | (a << 26)) ^ ((a >>> 11) | (a << 21)) ^ ((a >>> 25) | (a << 7))) +
        ((a & (b ^ c)) ^ c) +
        (ROUND_CONSTANTS[i + 12] as number) +
        w12) |
      0;
    h = (h + d) | 0;
    d =
      (d +
        (((e >>> 2) | (e << 30)) ^ ((e >>> 13) | (e << 19)) ^ ((e >>> 22) | (e << 10))) +
        ((e & f) ^ (g & (e ^ f)))) |
      0;
    c =
      (c +
        (((h >>> 6) | (h << 26)) ^ ((h >>> 11) | (h << 21)) ^ ((h >>> 25) | (h << 7))) +
        ((h & (a ^ b)) ^ b) +
        (ROUND_CONSTANTS[i + 13] as number) +
        w13) |
      0;
    g = (g + c) | 0;
    c =
      (c +
        (((d >>> 2) | (d << 30)) ^ ((d >>> 13) | (d << 19)) ^ ((d >>> 22) | (d << 10))) +
        ((d & e) ^ (f & (d ^ e)))) |
      0;
    b =
      (b +
        (((g >>> 6) | (g << 26)) ^ ((g >>> 11) | (g << 21)) ^ ((g >>> 25) | (g << 7))) +
        ((g & (h ^ a)) ^ a) +
        (ROUND_CONSTANTS[i + 14] as number) +
        w14) |
      0;
    f = (f + b) | 0;
    b =
      (b +
        (((c >>> 2) | (c << 30)) ^ ((c >>> 13) | (c << 19)) ^ ((c >>> 22) | (c << 10))) +
        ((c & d) ^ (e & (c ^ d)))) |
      0;
    a =
      (a +
        (((f >>> 6) | (f << 26)) ^ ((f >>> 11) | (f << 21)) ^ ((f >>> 25) | (f << 7))) +
        ((f & (g ^ h)) ^ h) +
        (ROUND_CONSTANTS[i + 15] as number) +
        w15) |
      0;
    e = (e + a) | 0;
    a =
      (a +
        (((b >>> 2) | (b << 30)) ^ ((b >>> 13) | (b << 19)) ^ ((b >>> 22) | (b << 10))) +
        ((b & c) ^ (d & (b ^ c)))) |
      0;
    if (i === 48) break;
    w0 =
      (w0 +
        w9 +
        (((w1 >>> 7) | (w1 << 25)) ^ ((w1 >>> 18) | (w1 << 14)) ^ (w1 >>> 3)) +
        (((w14 >>> 17) | (w14 << 15)) ^ ((w14 >>> 19) | (w14 << 13)) ^ (w14 >>> 10))) |
      0;
    w1 =
      (w1 +
        w10 +
        (((w2 >>> 7) | (w2 << 25)) ^ ((w2 >>> 18) | (w2 << 14)) ^ (w2 >>> 3)) +
        (((w15 >>> 17) | (w15 << 15)) ^ ((w15 >>> 19) | (w15 << 13)) ^ (w15 >>> 10))) |
      0;
    w2 =
      (w2 +
        w11 +
        (((w3 >>> 7) | (w3 << 25)) ^ ((w3 >>> 18) | (w3 << 14)) ^ (w3 >>> 3)) +
        (((w0 >>> 17) | (w0 << 15)) ^ ((w0 >>> 19) | (w0 << 13)) ^ (w0 >>> 10))) |
      0;
    w3 =
      (w3 +
        w12 +
        (((w4 >>> 7) | (w4 << 25)) ^ ((w4 >>> 18) | (w4 << 14)) ^ (w4 >>> 3)) +
        (((w1 >>> 17) | (w1 << 15)) ^ ((w1 >>> 19) | (w1 << 13)) ^ (w1 >>> 10))) |
      0;
    w4 =
      (w4 +
        w13 +
        (((w5 >>> 7) | (w5 << 25)) ^ ((w5 >>> 18) | (w5 << 14)) ^ (w5 >>> 3)) +
        (((w2 >>> 17) | (w2 << 15)) ^ ((w2 >>> 19) | (w2 << 13)) ^ (w2 >>> 10))) |
      0;
    w5 =
      (w5 +
        w14 +
        (((w6 >>> 7) | (w6 << 25)) ^ ((w6 >>> 18) | (w6 << 14)) ^ (w6 >>> 3)) +
        (((w3 >>> 17) | (w3 << 15)) ^ ((w3 >>> 19) | (w3 << 13)) ^ (w3 >>> 10))) |
      0;
    w6 =
      (w6 +
        w15 +
        (((w7 >>> 7) | (w7 << 25)) ^ ((w7 >>> 18) | (w7 << 14)) ^ (w7 >>> 3)) +
        (((w4 >>> 17) | (w4 << 15)) ^ ((w4 >>> 19) | (w4 << 13)) ^ (w4 >>> 10))) |
      0;
    w7 =
      (w7 +
        w0 +
        (((w8 >>> 7) | (w8 << 25)) ^ ((w8 >>> 18) | (w8 << 14)) ^ (w8 >>> 3)) +
        (((w5 >>> 17) | (w5 << 15)) ^ ((w5 >>> 19) | (w5 << 13)) ^ (w5 >>> 10))) |
      0;
    w8 =
      (w8 +
        w1 +
        (((w9 >>> 7) | (w9 << 25)) ^ ((w9 >>> 18) | (w9 << 14)) ^ (w9 >>> 3)) +
        (((w6 >>> 17) | (w6 << 15)) ^ ((w6 >>> 19) | (w6 << 13)) ^ (w6 >>> 10))) |
      0;
    w9 =
      (w9 +
        w2 +
        (((w10 >>> 7) | (w10 << 25)) ^ ((w10 >>> 18) | (w10 << 14)) ^ (w10 >>> 3)) +
        (((w7 >>> 17) | (w7 << 15)) ^ ((w7 >>> 19) | (w7 << 13)) ^ (w7 >>> 10))) |
      0;
    w10 =
      (w10 +
        w3 +
        (((w11 >>> 7) | (w11 << 25)) ^ ((w11 >>> 18) | (w11 << 14)) ^ (w11 >>> 3)) +
        (((w8 >>> 17) | (w8 << 15)) ^ ((w8 >>> 19) | (w8 << 13)) ^ (w8 >>> 10))) |
      0;
    w11 =
      (w11 +
        w4 +
        (((w12 >>> 7) | (w12 << 25)) ^ ((w12 >>> 18) | (w12 << 14)) ^ (w12 >>> 3)) +
        (((w9 >>> 17) | (w9 << 15)) ^ ((w9 >>> 19) | (w9 << 13)) ^ (w9 >>> 10))) |
      0;
    w12 =
      (w12 +
        w5 +
        (((w13 >>> 7) | (w13 << 25)) ^ ((w13 >>> 18) | (w13 << 14)) ^ (w13 >>> 3)) +
        (((w10 >>> 17) | (w10 << 15)) ^ ((w10 >>> 19) | (w10 << 13)) ^ (w10 >>> 10))) |
      0;
    w13 =
      (w13 +
        w6 +
        (((w14 >>> 7) | (w14 << 25)) ^ ((w14 >>> 18) | (w14 << 14)) ^ (w14 >>> 3)) +
        (((w11 >>> 17) | (w11 << 15)) ^ ((w11 >>> 19) | (w11 << 13)) ^ (w11 >>> 10))) |
      0;
    w14 =
      (w14 +
        w7 +
        (((w15 >>> 7) | (w15 << 25)) ^ ((w15 >>> 18) | (w15 << 14)) ^ (w15 >>> 3)) +
        (((w12 >>> 17) | (w12 << 15)) ^ ((w12 >>> 19) | (w12 << 13)) ^ (w12 >>> 10))) |
      0;
    w15 =
      (w15 +
        w8 +
        (((w0 >>> 7) | (w0 << 25)) ^ ((w0 >>> 18) | (w0 << 14)) ^ (w0 >>> 3)) +
        (((w13 >>> 17) | (w13 << 15)) ^ ((w13 >>> 19) | (w13 << 13)) ^ (w13 >>> 10))) |
      0;
  }
  state[0] = ((state[0] as number) + a) | 0;
  state[1] = ((state[1] as number) + b) | 0;
  state[2] = ((state[2] as number) + c) | 0;
  state[3] = ((state[3] as number) + d) | 0;
  state[4] = ((state[4] as number) + e) | 0;
  state[5] = ((state[5] as number) + f) | 0;
  state[6] = ((state[6] as number) + g) | 0;
  state[7] = ((state[7] as number) + h) | 0;
}
