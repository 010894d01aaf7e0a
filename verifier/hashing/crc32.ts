/** Table of the reflected polynomial 0xedb88320 (ISO-HDLC, the one of ZIP). */
const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** Continues a CRC-32 over these bytes, for platforms without a built-in one. */
export function crc32(bytes: Uint8Array, before: number): number {
  let crc = ~before;
  for (let i = 0; i < bytes.length; i++) {
    crc = (crc >>> 8) ^ (TABLE[(crc ^ (bytes[i] ?? 0)) & 0xff] ?? 0);
  }
  return ~crc >>> 0;
}
