// The little of ASN.1 DER (ITU-T X.690) that RFC 3161 needs: definite lengths, tags of one byte.

export const DER_TAGS = {
  BOOLEAN: 0x01,
  INTEGER: 0x02,
  OCTET_STRING: 0x04,
  NULL: 0x05,
  OID: 0x06,
  GENERALIZED_TIME: 0x18,
  SEQUENCE: 0x30,
  SET: 0x31,
  /** Context-specific, constructed: `[0]` and `[3]`. */
  CONTEXT_0: 0xa0,
  CONTEXT_3: 0xa3,
} as const;

export class DerFault extends Error {}

/** One element as it was read. */
export interface DerNode {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly whole: Buffer;
}

/** @param parts contents, or whole elements */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits: number[] = [];
  for (let rest = bytes; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256);
  return Buffer.from([0x80 | digits.length, ...digits]);
}

/** A non-negative INTEGER of these bytes, big-endian. */
export function derInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start += 1;
  const digits = Buffer.from(bytes.subarray(start));
  const needsSign = ((digits[0] ?? 0) & 0x80) !== 0;
  return der(DER_TAGS.INTEGER, needsSign ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

/** @param text `2.16.840.1.101.3.4.2.1` */
export function derOid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) {
      digits.unshift((left & 0x7f) | 0x80);
    }
    return digits;
  });
  return der(DER_TAGS.OID, Buffer.from(bytes));
}

/** @throws DerFault */
export function oidText({ content }: DerNode): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(arc)) throw new DerFault('an object identifier without end');
    if (byte & 0x80) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [head = 0, ...rest] = arcs;
  const first = Math.min(Math.floor(head / 40), 2);
  return [first, head - first * 40, ...rest].join('.');
}

/** The elements that stand in these bytes, one after another. @throws DerFault */
export function readDer(bytes: Buffer): DerNode[] {
  const nodes: DerNode[] = [];
  for (let at = 0; at < bytes.length; ) {
    const node = nodeAt(bytes, at);
    nodes.push(node);
    at += node.whole.length;
  }
  return nodes;
}

function nodeAt(bytes: Buffer, at: number): DerNode {
  const tag = bytes[at] ?? 0;
  const first = bytes[at + 1];
  if (first === undefined || (tag & 0x1f) === 0x1f) throw new DerFault('a torn element');
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  // Indefinite lengths are BER; four bytes tell of more than any token holds.
  if (first === 0x80 || lengthBytes > 4 || at + 2 + lengthBytes > bytes.length) throw new DerFault('a torn length');
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  const start = at + 2 + lengthBytes;
  if (start + length > bytes.length) throw new DerFault('an element beyond its end');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}

/** The elements within one of this tag. @throws DerFault for another tag, or none */
export function childrenOf(node: DerNode | undefined, tag: number): DerNode[] {
  if (node?.tag !== tag) throw new DerFault('an element of another kind');
  return readDer(node.content);
}
