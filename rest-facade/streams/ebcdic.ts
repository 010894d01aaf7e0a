/**
 * X12 from mainframes: a body in EBCDIC (code page 037 or 1047) is converted to ISO 8859-1, byte for byte, so that
 * offsets stay. Only a body that begins with an ISA is; other formats are not sent in EBCDIC.
 */

/** ISO 8859-1 of each byte of code page 037. */
const CP037 = Buffer.from(
  '000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f' +
    '80818283840a171b88898a8b8c050607909116939495960498999a9b14159e1a' +
    '20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293bac' +
    '2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22' +
    'd8616263646566676869abbbf0fdfeb1b06a6b6c6d6e6f707172aabae6b8c6a4' +
    'b57e737475767778797aa1bfd0dddeae5ea3a5b7a9a7b6bcbdbe5b5dafa8b4d7' +
    '7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff' +
    '5cf7535455565758595ab2d4d6d2d3d530313233343536373839b3dbdcd9da9f',
  'hex',
);
/** NL and LF, which both end a line. */
const [NEW_LINE, LINE_FEED] = [0x15, 0x25] as const;
/** Where code page 1047 differs from 037: brackets, circumflex, not sign, Y with acute, diaeresis. */
const CP1047_BYTES: readonly (readonly [byte: number, as037: number])[] = [
  [0x5f, 0xb0],
  [0xb0, 0x5f],
  [0xad, 0xba],
  [0xba, 0xad],
  [0xbb, 0xbd],
  [0xbd, 0xbb],
];

export type EbcdicPage = 'cp037' | 'cp1047';

const tableOf = (page: EbcdicPage): Buffer => {
  const table = Buffer.from(CP037);
  if (page === 'cp1047') for (const [byte, as037] of CP1047_BYTES) table[byte] = CP037[as037] ?? 0;
  for (const byte of [NEW_LINE, LINE_FEED]) table[byte] = 0x0a;
  return table;
};

/** `ISA` in EBCDIC. */
const ISA = Buffer.from([0xc9, 0xe2, 0xc1]);
/** ISA11, the repetition separator: the byte of a circumflex differs. */
const REPETITION_AT = 82;
const HEAD_BYTES = REPETITION_AT + 1;
const CIRCUMFLEX_1047 = 0x5f;

/** Passes a body on, converted if it begins with an ISA in EBCDIC. `found` receives the code page. */
export async function* fromEbcdic(
  chunks: AsyncIterable<Buffer>,
  found: (page: EbcdicPage) => void,
): AsyncGenerator<Buffer> {
  const held: Buffer[] = [];
  let heldBytes = 0;
  let table: Buffer | null = null;
  let isDecided = false;
  const decide = (): Buffer => {
    const head = Buffer.concat(held);
    isDecided = true;
    if (!head.subarray(0, ISA.length).equals(ISA)) return head;
    const page = head[REPETITION_AT] === CIRCUMFLEX_1047 ? 'cp1047' : 'cp037';
    found(page);
    table = tableOf(page);
    return converted(head, table);
  };
  for await (const chunk of chunks) {
    if (isDecided) {
      yield table === null ? chunk : converted(chunk, table);
      continue;
    }
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes >= HEAD_BYTES) yield decide();
  }
  if (!isDecided && heldBytes > 0) yield decide();
}

function converted(bytes: Buffer, table: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) out[at] = table[bytes[at] ?? 0] ?? 0;
  return out;
}
