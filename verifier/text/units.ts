// Kinds of ASCII bytes, as bits.

export const DIGIT = 1;
/** Lower-case hex. */
export const HEX = 2;
/** What neither JSON nor TSV escapes, wherever it stands. */
export const PLAIN = 4;
/** Printed, and not a backslash. */
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

/** Whether all bytes from `start` to `end` are of that kind. */
export function unitsAre(bytes: Uint8Array, start: number, end: number, kind: number): boolean {
  let common = kind;
  for (let at = start; at < end; at++) common &= KINDS[bytes[at] as number] as number;
  return common !== 0;
}

/** Where the bytes of that kind end that begin at `start`. */
export function unitsEnd(bytes: Uint8Array, start: number, kind: number): number {
  let at = start;
  while (at < bytes.length && ((KINDS[bytes[at] as number] as number) & kind) !== 0) at++;
  return at;
}

/** Whether `part` from `from` to `to` stands in `bytes` at `at`. */
export function standsAt(bytes: Uint8Array, at: number, part: Uint8Array, from = 0, to = part.length): boolean {
  const shift = at - from;
  for (let i = from; i < to; i++) if (bytes[shift + i] !== part[i]) return false;
  return true;
}
