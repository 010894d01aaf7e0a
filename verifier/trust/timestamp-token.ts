import { UsageFault } from './key-set.js';

// A minimal DER reader (X.690) for the hash and the time of a time-stamp token (RFC 3161). openssl verifies the signature.

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

const SEQUENCE = 0x30;
const OBJECT_ID = 0x06;
const OCTETS = 0x04;
const TIME = 0x18;
const INTEGER = 0x02;
const SIGNED_DATA = '2a864886f70d010702';
const TST_INFO = '2a864886f70d0109100104';
const SHA256 = '608648016503040201';

interface StampedHash {
  /** Hex of the stamped SHA-256; undefined for another hash function. */
  readonly sha256: string | undefined;
  /** UTC with milliseconds. */
  readonly at: string;
  /** The token, without the response around it. */
  readonly token: Uint8Array;
}

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function* elements(bytes: Uint8Array): Generator<Element> {
  for (let at = 0; at < bytes.length; ) {
    const start = at;
    const tag = bytes[at++] ?? 0;
    let length = bytes[at++] ?? 0x80;
    if (length >= 0x80) {
      const count = length & 0x7f;
      if (count === 0 || count > 4) throw new UsageFault('not a time-stamp token');
      length = 0;
      for (let i = 0; i < count; i++) length = length * 256 + (bytes[at++] ?? 0);
    }
    if (at + length > bytes.length) throw new UsageFault('not a time-stamp token');
    yield { tag, content: bytes.subarray(at, at + length), whole: bytes.subarray(start, at + length) };
    at += length;
  }
}

function inside(element: Element | undefined, tag: number): Element[] {
  if (element?.tag !== tag) throw new UsageFault('not a time-stamp token');
  return [...elements(element.content)];
}

/** Reads the stamped hash and time of a token, or of an authority's response with a token. @throws UsageFault */
export function readTimestamp(bytes: Uint8Array): StampedHash {
  const [top] = elements(bytes);
  let content = inside(top, SEQUENCE);
  let token = top;
  // TimeStampResp: a status, then the token.
  if (content[0]?.tag === SEQUENCE) {
    token = content[1];
    content = inside(token, SEQUENCE);
  }
  if (content[0]?.tag !== OBJECT_ID || hex(content[0].content) !== SIGNED_DATA)
    throw new UsageFault('not a time-stamp token');
  const signed = inside(inside(content[1], 0xa0)[0], SEQUENCE);
  const encapsulated = inside(signed[2], SEQUENCE);
  if (hex(encapsulated[0]?.content ?? new Uint8Array(0)) !== TST_INFO) throw new UsageFault('not a time-stamp token');
  const octets = inside(encapsulated[1], 0xa0)[0];
  if (octets?.tag !== OCTETS || token === undefined) throw new UsageFault('not a time-stamp token');
  const [info] = elements(octets.content);
  const [version, , imprint, , at] = inside(info, SEQUENCE);
  const [algorithm, digest] = inside(imprint, SEQUENCE);
  if (version?.tag !== INTEGER || at?.tag !== TIME || digest?.tag !== OCTETS)
    throw new UsageFault('not a time-stamp token');
  const isSha256 = hex(inside(algorithm, SEQUENCE)[0]?.content ?? new Uint8Array(0)) === SHA256;
  return { sha256: isSha256 ? hex(digest.content) : undefined, at: instantOf(at.content), token: token.whole };
}

/** Parses a GeneralizedTime in UTC, as DER writes it. */
function instantOf(content: Uint8Array): string {
  const text = String.fromCharCode(...content);
  const [, year, month, day, hour, minute, second, fraction = ''] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d+))?Z$/.exec(text) ?? [];
  if (year === undefined) throw new UsageFault('not a time-stamp token');
  return `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}
