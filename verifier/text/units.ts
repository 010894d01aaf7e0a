// Kinds of ASCII bytes, as bits.

export const DIGIT = 1;
/** Lower-case hex. */
export const HEX = 2;
/** Characters that neither JSON nor TSV escapes in any position. */
export const PLAIN = 4;
/** Printable, and not a backslash. */
export const PRINTED = 8;

const KINDS = Uint8Array.from({ length: 256 }, (_, unit) => {
  const text = String.fromCharCode(unit);
  const kinds: readonly (readonly [kind: number, form: RegExp])[] = [
    [DIGIT, /[0-9]/],
    [HEX, /[0-9a-f]/],
    [PLAIN, /[A-Za-z0-9_.:/ -]/],
    [PRINTED, /[ -[\]-~]/],
  ];
  return kinds.reduce((all, [kind, form]) => (form.test(text) ? all | kind : all), 0);
});

/** Returns true if all bytes from `start` to `end` are of that kind. */
export function unitsAre(bytes: Uint8Array, start: number, end: number, kind: number): boolean {
  let common = kind;
  for (let at = start; at < end; at++) common &= KINDS[bytes[at] ?? 0] ?? 0;
  return common !== 0;
}

/** Returns the end of the run of bytes of that kind that begins at `start`. */
export function unitsEnd(bytes: Uint8Array, start: number, kind: number): number {
  let at = start;
  while (at < bytes.length && ((KINDS[bytes[at] ?? 0] ?? 0) & kind) !== 0) at++;
  return at;
}
